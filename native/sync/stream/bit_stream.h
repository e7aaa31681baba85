// Numbers of a few bits each in a row of bytes, the first one in the lowest bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ringlab {

/// For one thread. The room is the caller's to keep to; the last byte is written when the writer ends.
class BitWriter {
 public:
  explicit BitWriter(uint8_t* out) : out_(out) {}
  ~BitWriter() {
    for (; pending_ > 0; pending_ -= 8, bits_ >>= 8) *out_++ = static_cast<uint8_t>(bits_);
  }
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;

  /// At most 32 bits; those of `value` above them are 0.
  void put(uint32_t value, int bits) {
    bits_ |= static_cast<uint64_t>(value) << pending_;
    pending_ += bits;
    for (; pending_ >= 8; pending_ -= 8, bits_ >>= 8) *out_++ = static_cast<uint8_t>(bits_);
  }
  /// `ones` ones (at most 31) and, where they are fewer than `maximum`, the zero that ends them.
  void put_ones(int ones, int maximum) { put((1U << ones) - 1, ones < maximum ? ones + 1 : ones); }

 private:
  uint8_t* out_;
  uint64_t bits_ = 0;
  int pending_ = 0;
};

/// For one thread. Bytes may be anyone's: past the end it reads zeros.
class BitReader {
 public:
  BitReader(const uint8_t* in, int64_t bytes) : in_(in), end_(in + bytes) {}

  /// At most 32 bits.
  uint32_t take(int bits) {
    refill();
    const auto value = static_cast<uint32_t>(bits_ & ((uint64_t{1} << bits) - 1));
    drop(bits);
    return value;
  }
  /// Ones before the next zero, at most `maximum` (below 56); the zero is taken too where there are fewer.
  int ones(int maximum) {
    refill();
    const int run = __builtin_ctzll(~bits_ | (uint64_t{1} << maximum));
    drop(run < maximum ? run + 1 : maximum);
    return run;
  }

 private:
  /// At least 56 bits, where there are so many. Above `have_` stand bits that the next call adds once more, the same.
  void refill() {
    if (have_ >= 56) return;
    if (end_ - in_ >= 8) {
      uint64_t word = 0;
      std::memcpy(&word, in_, sizeof word);
      bits_ |= word << have_;
      in_ += (63 - have_) >> 3;
      have_ |= 56;
      return;
    }
    for (; have_ <= 56 && in_ < end_; have_ += 8) bits_ |= static_cast<uint64_t>(*in_++) << have_;
  }
  void drop(int bits) {
    bits_ >>= bits;
    have_ = have_ > bits ? have_ - bits : 0;
  }

  const uint8_t* in_;
  const uint8_t* end_;
  uint64_t bits_ = 0;
  int have_ = 0;
};

/// The low `bits` (at most 31) of `value`.
inline uint32_t low_bits(uint32_t value, int bits) { return value & ((1U << bits) - 1); }

/// Rice's code (1979) of gaps: a quotient in ones, then `parameter` bits. A quotient of kRiceEscape ones is followed by the gap
/// itself in kRiceGapBits.
constexpr int kRiceEscape = 24;
constexpr int kRiceGapBits = 32;
constexpr int kRiceParameterBits = 5;

inline int64_t rice_bits(uint32_t gap, int parameter) {
  const uint32_t ones = gap >> parameter;
  return ones < kRiceEscape ? static_cast<int64_t>(ones) + 1 + parameter : kRiceEscape + kRiceGapBits;
}

inline void put_rice(BitWriter& writer, uint32_t gap, int parameter) {
  const uint32_t ones = gap >> parameter;
  writer.put_ones(static_cast<int>(ones < kRiceEscape ? ones : kRiceEscape), kRiceEscape);
  if (ones < kRiceEscape) writer.put(low_bits(gap, parameter), parameter);
  else writer.put(gap, kRiceGapBits);
}

inline int64_t take_rice(BitReader& reader, int parameter) {
  const int ones = reader.ones(kRiceEscape);
  return ones == kRiceEscape ? reader.take(kRiceGapBits) : (static_cast<int64_t>(ones) << parameter) + reader.take(parameter);
}

/// The parameter for `many` gaps of a geometric distribution whose places span `span` in all: of places far apart few bits say by how much.
inline int rice_parameter(int64_t span, int64_t many) {
  const double mean_gap = static_cast<double>(span) / static_cast<double>(many) - 1;
  return mean_gap < 1 ? 0 : std::min(31, static_cast<int>(std::log2(mean_gap * 0.6931 + 0.5)));
}

}  // namespace ringlab
