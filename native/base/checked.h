// Arithmetic on numbers from a file, a peer or an option: an overflow returns nothing and never wraps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace ringlab {

template <typename Number>
constexpr std::optional<Number> checked_add(Number a, std::common_type_t<Number> b) {
  static_assert(std::is_integral_v<Number>);
  Number sum{};
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <typename Number>
constexpr std::optional<Number> checked_multiply(Number a, std::common_type_t<Number> b) {
  static_assert(std::is_integral_v<Number>);
  Number product{};
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a * b * c and so on.
template <typename Number, typename... More>
constexpr std::optional<Number> checked_multiply(Number a, std::common_type_t<Number> b, std::common_type_t<Number> c, More... more) {
  const auto product = checked_multiply<Number>(a, b);
  return product ? checked_multiply<Number>(*product, c, more...) : std::nullopt;
}

/// Are `size` bytes from `offset` on within `whole`?
constexpr bool lies_within(uint64_t offset, uint64_t size, uint64_t whole) { return offset <= whole && size <= whole - offset; }

/// floor(a * b / divisor), the product in twice the width: nothing on overflow, for a negative number or a divisor of 0.
inline std::optional<int64_t> checked_scale(int64_t a, int64_t b, int64_t divisor) {
  if (a < 0 || b < 0 || divisor <= 0) return std::nullopt;
  __extension__ using Wide = __int128;
  const Wide result = static_cast<Wide>(a) * b / divisor;
  return result > INT64_MAX ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(result));
}

}  // namespace ringlab
