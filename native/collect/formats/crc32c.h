// CRC-32C (Castagnoli), as in TensorBoard's event files.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringlab {

uint32_t crc32c(std::string_view bytes);

/// As event files store it: rotated and shifted, so that the CRC of data with CRCs in it is another one.
inline uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

}  // namespace ringlab
