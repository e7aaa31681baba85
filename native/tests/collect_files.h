// TensorBoard's and W&B's files as their writers make them, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "collect/formats/crc32c.h"
#include "tests/fuzz.h"

namespace ringlab {

inline std::string proto_varint(uint64_t number) {
  std::string out;
  for (; number >= 0x80; number >>= 7) out += static_cast<char>((number & 0x7F) | 0x80);
  return out + static_cast<char>(number);
}
inline std::string proto_bytes(uint32_t id, const std::string& bytes) { return proto_varint(id << 3 | 2) + proto_varint(bytes.size()) + bytes; }
inline std::string proto_number(uint32_t id, uint64_t number) { return proto_varint(id << 3) + proto_varint(number); }
inline std::string proto_double(uint32_t id, double number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return proto_varint(id << 3 | 1) + little_endian(bits, 8);
}
inline std::string proto_float(uint32_t id, float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return proto_varint(id << 3 | 5) + little_endian(bits, 4);
}

inline std::string event_record(const std::string& event) {
  const std::string length = little_endian(event.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + event + little_endian(masked_crc32c(event), 4);
}

/// A scalar event as torch.utils.tensorboard writes it.
inline std::string scalar_event(const std::string& tag, float value, int64_t step, double time) {
  return event_record(proto_double(1, time) + proto_number(2, static_cast<uint64_t>(step)) + proto_bytes(5, proto_bytes(1, proto_bytes(1, tag) + proto_float(2, value))));
}

}  // namespace ringlab
