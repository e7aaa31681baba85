// Parses numbers from users and peers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ringlab {

/// The number if it is the whole text, in the C locale; nothing if it is invalid or out of range for the type. A double may be
/// NaN or infinite.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace ringlab
