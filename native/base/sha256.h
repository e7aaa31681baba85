// SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104), and the kernel's random bytes: for authentication between ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ringlab {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  Sha256& update(const void* data, size_t size);
  /// Call it once.
  Digest finish();

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_;
  std::array<uint8_t, 64> pending_{};
  size_t filled_ = 0;
  uint64_t bytes_ = 0;
};

/// HMAC of the concatenated parts: their lengths must be fixed or included.
Digest hmac_sha256(std::string_view key, std::initializer_list<std::string_view> parts);

/// Comparison in constant time.
bool equal_digests(std::string_view a, std::string_view b);

/// From getrandom(2). Throws Failure (internal) if the kernel returns none.
std::string random_bytes(size_t count);

/// Two lower-case digits per byte.
std::string hexadecimal(std::string_view bytes);
inline std::string hexadecimal(const Digest& digest) { return hexadecimal({reinterpret_cast<const char*>(digest.data()), digest.size()}); }

inline std::string_view view_of(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

}  // namespace ringlab
