#include "collect/printed/printed_number.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace ringlab {

size_t number_at(std::string_view text, double& number) {
  const bool plus = !text.empty() && text.front() == '+';
  if (plus) text.remove_prefix(1);
  if (text.empty()) return 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec == std::errc::result_out_of_range) {
    number = std::numeric_limits<double>::infinity();
  } else if (result.ec != std::errc()) {
    return 0;
  }
  return static_cast<size_t>(result.ptr - text.data()) + (plus ? 1 : 0);
}

size_t whole_number_at(std::string_view text, double& number) {
  size_t end = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  if (end == 0 || end > 15) return 0;
  uint64_t whole = 0;
  std::from_chars(text.data(), text.data() + end, whole);
  number = static_cast<double>(whole);
  return end;
}

}  // namespace ringlab
