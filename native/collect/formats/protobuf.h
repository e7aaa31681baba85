// Reads protobuf messages field by field, without their schema.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ringlab {

/// One field. Numbers of 4 and 8 bytes are in `number` as they stand.
struct ProtoField {
  uint32_t id = 0;
  uint32_t wire = 0;      ///< 0: varint, 1: 8 bytes, 2: bytes, 5: 4 bytes
  uint64_t number = 0;
  std::string_view bytes;

  double as_double() const {
    double value = 0;
    std::memcpy(&value, &number, sizeof value);
    return value;
  }
  float as_float() const {
    const auto half = static_cast<uint32_t>(number);
    float value = 0;
    std::memcpy(&value, &half, sizeof value);
    return value;
  }
};

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  /// False at the message's end, and where it is broken: see failed().
  bool next(ProtoField& field) {
    if (rest_.empty() || failed_) return false;
    uint64_t tag = 0;
    field.bytes = {};
    field.number = 0;
    failed_ = !varint(tag) || tag >> 3 == 0 || tag > UINT32_MAX;
    if (failed_) return false;
    field.id = static_cast<uint32_t>(tag >> 3);
    field.wire = static_cast<uint32_t>(tag & 7U);
    if (field.wire == 0) {
      failed_ = !varint(field.number);
    } else if (field.wire == 1) {
      failed_ = !fixed(8, field.number);
    } else if (field.wire == 5) {
      failed_ = !fixed(4, field.number);
    } else if (field.wire == 2) {
      uint64_t size = 0;
      failed_ = !varint(size) || size > rest_.size();
      if (failed_) return false;
      field.bytes = rest_.substr(0, static_cast<size_t>(size));
      rest_.remove_prefix(static_cast<size_t>(size));
    } else {
      failed_ = true;
    }
    return !failed_;
  }
  bool failed() const { return failed_; }

  /// One element of a packed list of varints, or of numbers of `size` bytes. False at the end.
  bool varint(uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool fixed(size_t size, uint64_t& number) {
    if (rest_.size() < size) return false;
    number = 0;
    for (size_t i = 0; i < size; ++i) number |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(size);
    return true;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace ringlab
