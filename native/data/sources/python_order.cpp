#include "data/sources/python_order.h"

#include <cstddef>
#include <cstdint>

namespace ringlab {
namespace {

/// The code point at `at`, which is advanced. RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF.
uint32_t next_point(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t lead = byte(at);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
  uint32_t point = length < 2 ? lead : lead & (0x7FU >> length);
  bool valid = length > 0;
  for (size_t i = 1; i < length; ++i) {
    valid = valid && (byte(at + i) & 0xC0) == 0x80;
    point = point << 6 | (byte(at + i) & 0x3FU);
  }
  if (length == 3) valid = valid && point >= 0x800 && (point < 0xD800 || point > 0xDFFF);
  if (length == 4) valid = valid && point >= 0x10000 && point <= 0x10FFFF;
  at += valid ? length : 1;
  return valid ? point : 0xDC00U + lead;
}

}  // namespace

bool python_less(const std::string& a, const std::string& b) {
  size_t at_a = 0;
  size_t at_b = 0;
  while (at_a < a.size() && at_b < b.size()) {
    const uint32_t one = next_point(a, at_a);
    const uint32_t other = next_point(b, at_b);
    if (one != other) return one < other;
  }
  return at_b < b.size();
}

}  // namespace ringlab
