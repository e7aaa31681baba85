// Text as c10d's stores keep it: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

inline std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace ringlab
