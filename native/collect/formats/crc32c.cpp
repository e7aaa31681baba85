#include "collect/formats/crc32c.h"

#include <array>
#include <cstddef>

namespace ringlab {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78U;  // reflected

/// Eight bytes at a time: table k is the CRC of a byte that k further bytes follow.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
  }
  return tables;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static const Tables tables = make_tables();
  uint32_t crc = 0xFFFFFFFFU;
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])); };
  size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) {
    crc ^= byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    crc = tables[7][crc & 0xFF] ^ tables[6][(crc >> 8) & 0xFF] ^ tables[5][(crc >> 16) & 0xFF] ^ tables[4][crc >> 24] ^ tables[3][byte(at + 4)] ^ tables[2][byte(at + 5)] ^ tables[1][byte(at + 6)] ^
          tables[0][byte(at + 7)];
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ tables[0][(crc ^ byte(at)) & 0xFF];
  return ~crc;
}

}  // namespace ringlab
