// Numbers as programs print them.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringlab {

/// A number at the start of `text`, which may begin with '+': its length, 0 without one. nan and inf are numbers.
size_t number_at(std::string_view text, double& number);

/// The same of digits alone, at most 15: a count.
size_t whole_number_at(std::string_view text, double& number);

}  // namespace ringlab
