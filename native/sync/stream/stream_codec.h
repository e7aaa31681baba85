// The largest values of several tensors as a message of a fixed number of bytes: where they lie, and about how large they are. No libtorch here.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "sync/stream/bit_stream.h"
#include "sync/stream/stream_scan.h"

namespace ringlab {

/// Bytes of a message about tensors of these lengths at `bits` a value; never less than one value takes.
int64_t stream_bytes(const std::vector<int64_t>& lengths, double bits);

/// A message is: the number of values (32 bits; all ones: a value was not finite, and all decode to NaN), the magnitude of each level in
/// thresholds, the threshold of each tensor (floats), then the values by place in groups of kStreamGroup: a Rice parameter, and for each value the
/// gap before it, its sign and its level in ones.
constexpr int kStreamLevels = 14;
constexpr uint32_t kStreamGroup = 128;
constexpr uint32_t kStreamNotFinite = 0xFFFFFFFF;

/// Chooses the values that are the largest in their tensor's scale. The threshold is a multiple of their root mean square in the message before;
/// the multiple follows what fits, and of what is too much the largest values go: nothing is sorted, and all values are seldom read twice. For one thread at a time; messages depend on those before.
class StreamEncoder {
 public:
  /// At most 2^31 values in all; `bytes` at least stream_bytes() of them. Scales are 1.
  StreamEncoder(std::vector<int64_t> lengths, int64_t bytes);

  /// One of a tensor, more than 0: its values count as parts of it.
  void set_scales(std::vector<float> scales) { scales_ = std::move(scales); }

  /// Of the messages from now on.
  void set_bytes(int64_t bytes) { bytes_ = bytes; }

  /// One difference a tensor, of its length. Writes exactly `bytes`.
  void encode(const std::vector<Difference>& tensors, uint8_t* out);

  /// Calls `take(tensor, place in it, value)` as a StreamDecoder of the last message does, to the bit, in a part of the time.
  template <typename Take>
  void each_sent(Take&& take) const;

  /// Of the last message: the sum of squares of all differences, and of the values in it, each in its tensor's scale.
  double energy() const { return energy_; }
  double sent_energy() const { return sent_energy_; }

  /// What the next message depends on: the multiple, the root mean square, the scales.
  std::vector<float> state() const;
  void load_state(const float* numbers);
  size_t state_size() const { return 2 + scales_.size(); }
  const std::vector<int64_t>& lengths() const { return lengths_; }

 private:
  bool choose(const std::vector<Difference>& tensors, float threshold);
  int64_t arrange();
  void keep_largest(size_t many);
  void keep_first(size_t many);
  void write(uint8_t* out) const;
  double chosen_energy() const;
  int64_t header_bytes() const;

  std::vector<int64_t> lengths_;
  int64_t bytes_;
  float multiple_;
  float usual_ = 0;  ///< root mean square in the tensors' scales; 0: not known
  std::vector<float> scales_;
  double energy_ = 0;
  double sent_energy_ = 0;
  // Of the message that is being made, then of the last one:
  std::vector<float> thresholds_;
  bool finite_ = true;
  LargeValues chosen_;               ///< in thresholds
  std::vector<uint8_t> levels_;      ///< of each value in chosen_
  std::vector<uint8_t> parameters_;  ///< of each group
  std::array<float, kStreamLevels> magnitudes_{};
};

template <typename Take>
void each_not_finite(const std::vector<int64_t>& lengths, Take&& take) {
  for (size_t k = 0; k < lengths.size(); ++k) {
    for (int64_t i = 0; i < lengths[k]; ++i) take(k, i, std::numeric_limits<float>::quiet_NaN());
  }
}

template <typename Take>
void StreamEncoder::each_sent(Take&& take) const {
  if (!finite_) {
    each_not_finite(lengths_, take);
    return;
  }
  size_t tensor = 0;
  int64_t first = 0;
  for (size_t k = 0; k < chosen_.places.size(); ++k) {
    const int64_t place = chosen_.places[k];
    while (place - first >= lengths_[tensor]) first += lengths_[tensor++];
    const float value = thresholds_[tensor] * magnitudes_[levels_[k]];
    take(tensor, place - first, chosen_.values[k] < 0 ? -value : value);
  }
}

/// Reads a message, which may be anyone's: what is wrong with it gives other values, never a place outside.
class StreamDecoder {
 public:
  /// Of tensors of these lengths; `bytes` at least stream_bytes() of them. `message` and `lengths` outlive the decoder. Values come multiplied by
  /// `scale`, in here: a caller's product and sum could be one fused operation on some CPUs, and ranks would differ.
  StreamDecoder(const uint8_t* message, int64_t bytes, const std::vector<int64_t>& lengths, float scale = 1) : message_(message), bytes_(bytes), lengths_(lengths), scale_(scale) {}

  /// Calls `take(tensor, place in it, value)` in rising order.
  template <typename Take>
  void each(Take&& take) const;

 private:
  const uint8_t* message_;
  int64_t bytes_;
  const std::vector<int64_t>& lengths_;
  float scale_;
};

template <typename Take>
void StreamDecoder::each(Take&& take) const {
  uint32_t many = 0;
  std::memcpy(&many, message_, sizeof many);
  if (many == kStreamNotFinite) {
    each_not_finite(lengths_, take);
    return;
  }
  std::array<float, kStreamLevels> magnitudes{};
  std::memcpy(magnitudes.data(), message_ + sizeof many, sizeof magnitudes);
  const uint8_t* thresholds = message_ + sizeof many + sizeof magnitudes;
  const auto header = static_cast<int64_t>(sizeof many + sizeof magnitudes + lengths_.size() * sizeof(float));
  BitReader reader(message_ + header, bytes_ - header);
  size_t tensor = 0;
  int64_t first = 0;  // of this tensor's places
  std::array<float, kStreamLevels> values{};
  const auto enter = [&] {
    float threshold = 0;
    std::memcpy(&threshold, thresholds + tensor * sizeof threshold, sizeof threshold);
    for (size_t level = 0; level < values.size(); ++level) values[level] = threshold * magnitudes[level] * scale_;
  };
  if (!lengths_.empty()) enter();
  int64_t place = -1;
  int parameter = 0;
  for (uint32_t k = 0; k < many; ++k) {
    if (k % kStreamGroup == 0) parameter = static_cast<int>(reader.take(kRiceParameterBits));
    place += take_rice(reader, parameter) + 1;
    while (tensor < lengths_.size() && place - first >= lengths_[tensor]) {
      first += lengths_[tensor++];
      if (tensor < lengths_.size()) enter();
    }
    if (tensor == lengths_.size()) return;
    const bool negative = reader.take(1) == 1;
    const float value = values[static_cast<size_t>(reader.ones(kStreamLevels - 1))];
    take(tensor, place - first, negative ? -value : value);
  }
}

}  // namespace ringlab
