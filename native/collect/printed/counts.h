// Counts in a printed line: `3/10`, and those in brackets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ringlab {

/// `3/10`: a number of how many.
struct Count {
  double at = 0;
  std::optional<double> of;
};

struct BracketCounts {
  Count first;
  std::optional<Count> second;  ///< of `[1,  2000]`
  size_t end = 0;               ///< behind the bracket
};

/// `[0]`, `[ 10/100]`, `[640/60000 (1%)]`, `[1,  2000]`, from behind the opening bracket on; nothing for other brackets.
std::optional<BracketCounts> bracket_counts(std::string_view line, size_t at);

struct Average {
  double value = 0;
  size_t end = 0;  ///< behind its bracket
};

/// `(7.0)`, `( 7.0 %)` at `at` or after spaces: the average that stands behind a value.
std::optional<Average> average_at(std::string_view line, size_t at);

/// Whether a bracket with a count and a total stands at `at`: `[ 10/100]`.
bool has_total(std::string_view line, size_t at);

/// Whether `08:36` stands at `at`: what is before it is a date.
bool is_clock(std::string_view line, size_t at);

/// The first place from `at` on that is no space.
size_t after_spaces(std::string_view line, size_t at);

/// Behind a unit that stands at `at`, after spaces: `%`, `s`, `images/s`. A word that is followed by ':' or '=' is a name.
size_t after_unit(std::string_view line, size_t at);

}  // namespace ringlab
