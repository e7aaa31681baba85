#include "sync/stream/stream_codec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace ringlab {
namespace {

/// Where a level begins, as a multiple of the threshold. Most values lie just above it: the first level is theirs, and a level takes as many bits as its
/// number. The last one is far out: in small matrices, such as the last layer's, all values may be a hundred thresholds.
constexpr float kEdges[kStreamLevels - 1] = {1.5F, 2.25F, 3.4F, 5.1F, 7.6F, 11.4F, 17.1F, 25.6F, 38.4F, 57.7F, 86.5F, 130, 195};
/// Bits of the values above the threshold, in those of a message: of what was left out of the message before, much lies just below its threshold, so
/// that a threshold a few hundredths off has a tenth of the values, or twice as many. The largest ones are taken of too many.
constexpr double kCandidates = 1.5;
/// With fewer, a scan with a lower threshold is worth its time.
constexpr double kFewCandidates = 0.9;
constexpr float kLower = 0.75F;
/// A message is filled so far at first, as fewer values lie further apart.
constexpr double kFull = 0.97;
/// How quickly the multiple follows. Halving the values of a normal distribution's tail takes about 1.1 times the threshold.
constexpr double kGain = 0.12;
constexpr float kFirstMultiple = 1;
constexpr float kMinMultiple = 0.02F;
constexpr float kMaxMultiple = 1e4F;
constexpr int kAttempts = 4;
/// A value takes an escaped gap, a sign and a level: 70 bits, and its group 5.
constexpr int64_t kRoomForOne = 12;

int64_t header_of(size_t tensors) { return static_cast<int64_t>(sizeof(uint32_t) + (kStreamLevels + tensors) * sizeof(float)); }

}  // namespace

int64_t stream_bytes(const std::vector<int64_t>& lengths, double bits) {
  const auto count = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return std::max(header_of(lengths.size()) + kRoomForOne, static_cast<int64_t>(std::ceil(static_cast<double>(count) * bits / 8)));
}

StreamEncoder::StreamEncoder(std::vector<int64_t> lengths, int64_t bytes)
    : lengths_(std::move(lengths)), bytes_(bytes), multiple_(kFirstMultiple), scales_(lengths_.size(), 1.0F), thresholds_(lengths_.size()) {
  if (std::accumulate(lengths_.begin(), lengths_.end(), int64_t{0}) > INT32_MAX) throw std::length_error("more than 2^31 values in one message");
}

int64_t StreamEncoder::header_bytes() const { return header_of(lengths_.size()); }

/// What lies above a threshold that is `threshold` in the tensors' scales, and the energy of all. False where a value is not finite.
bool StreamEncoder::choose(const std::vector<Difference>& tensors, float threshold) {
  chosen_.places.clear();
  chosen_.values.clear();
  energy_ = 0;
  int64_t count = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const size_t before = chosen_.values.size();
    // Where all are zeros, nothing is above a threshold of nearly nothing.
    thresholds_[k] = std::max(threshold * scales_[k], std::numeric_limits<float>::min());
    energy_ += scan_large(tensors[k], thresholds_[k], static_cast<uint32_t>(count), chosen_) / (static_cast<double>(scales_[k]) * scales_[k]);
    const float inverse = 1 / thresholds_[k];
    for (size_t i = before; i < chosen_.values.size(); ++i) chosen_.values[i] *= inverse;
    count += lengths_[k];
  }
  usual_ = static_cast<float>(std::sqrt(energy_ / static_cast<double>(std::max<int64_t>(1, count))));
  if (!std::isfinite(usual_)) usual_ = 0;
  return std::isfinite(energy_);
}

/// Levels, their magnitudes and the groups' parameters; gives the bits that all of it takes.
int64_t StreamEncoder::arrange() {
  const size_t many = chosen_.places.size();
  levels_.resize(many);
  parameters_.clear();
  double sums[kStreamLevels] = {};
  int64_t counts[kStreamLevels] = {};
  for (size_t k = 0; k < many; ++k) {
    const float magnitude = std::fabs(chosen_.values[k]);
    int level = 0;
    for (const float edge : kEdges) level += magnitude >= edge ? 1 : 0;
    levels_[k] = static_cast<uint8_t>(level);
    sums[level] += static_cast<double>(magnitude);
    ++counts[level];
  }
  int64_t used = 0;
  for (int level = 0; level < kStreamLevels; ++level) {
    magnitudes_[static_cast<size_t>(level)] = counts[level] > 0 ? static_cast<float>(sums[level] / static_cast<double>(counts[level])) : 0.0F;
    used += counts[level] * (1 + std::min(level + 1, kStreamLevels - 1));
  }
  int64_t before = -1;
  for (size_t from = 0; from < many; from += kStreamGroup) {
    const size_t to = std::min(many, from + kStreamGroup);
    const int parameter = rice_parameter(static_cast<int64_t>(chosen_.places[to - 1]) - before, static_cast<int64_t>(to - from));
    parameters_.push_back(static_cast<uint8_t>(parameter));
    used += kRiceParameterBits;
    for (size_t k = from; k < to; ++k) {
      used += rice_bits(static_cast<uint32_t>(chosen_.places[k] - before - 1), parameter);
      before = chosen_.places[k];
    }
  }
  return used;
}

/// Raises the thresholds until about so many are left.
void StreamEncoder::keep_largest(size_t many) {
  std::vector<float> magnitudes(chosen_.values.size());
  for (size_t k = 0; k < magnitudes.size(); ++k) magnitudes[k] = std::fabs(chosen_.values[k]);
  const auto last = magnitudes.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(1, many) - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>());
  const float raise = *last;
  size_t kept = 0;
  for (size_t k = 0; k < chosen_.values.size(); ++k) {
    const float value = chosen_.values[k];
    chosen_.places[kept] = chosen_.places[k];
    chosen_.values[kept] = value / raise;
    kept += std::fabs(value) >= raise ? 1 : 0;
  }
  for (auto& threshold : thresholds_) threshold *= raise;
  keep_first(kept);
}

void StreamEncoder::keep_first(size_t many) {
  chosen_.places.resize(many);
  chosen_.values.resize(many);
}

/// Of the values as they are, not as their levels say: the difference is small.
double StreamEncoder::chosen_energy() const {
  double energy = 0;
  size_t tensor = 0;
  int64_t end = lengths_.empty() ? 0 : lengths_.front();
  for (size_t k = 0; k < chosen_.places.size(); ++k) {
    while (tensor + 1 < lengths_.size() && chosen_.places[k] >= end) end += lengths_[++tensor];
    const double value = static_cast<double>(chosen_.values[k]) * static_cast<double>(thresholds_[tensor]) / static_cast<double>(scales_[tensor]);
    energy += value * value;
  }
  return energy;
}

void StreamEncoder::write(uint8_t* out) const {
  const auto many = static_cast<uint32_t>(chosen_.places.size());
  std::memcpy(out, &many, sizeof many);
  std::memcpy(out + sizeof many, magnitudes_.data(), sizeof magnitudes_);
  // A chunk of no values has no thresholds, and memcpy takes no null pointer.
  if (!thresholds_.empty()) std::memcpy(out + header_of(0), thresholds_.data(), thresholds_.size() * sizeof(float));
  BitWriter writer(out + header_bytes());
  uint32_t next = 0;
  for (uint32_t k = 0; k < many; ++k) {
    const int parameter = parameters_[k / kStreamGroup];
    if (k % kStreamGroup == 0) writer.put(static_cast<uint32_t>(parameter), kRiceParameterBits);
    put_rice(writer, chosen_.places[k] - next, parameter);
    next = chosen_.places[k] + 1;
    writer.put(chosen_.values[k] < 0 ? 1 : 0, 1);
    writer.put_ones(levels_[k], kStreamLevels - 1);
  }
}

void StreamEncoder::encode(const std::vector<Difference>& tensors, uint8_t* out) {
  std::memset(out, 0, static_cast<size_t>(bytes_));
  sent_energy_ = 0;
  // Where nothing is known of the values, their root mean square is.
  finite_ = usual_ > 0 || choose(tensors, std::numeric_limits<float>::infinity());
  float threshold = usual_ * multiple_;
  finite_ = finite_ && choose(tensors, threshold);
  if (!finite_) {
    std::memcpy(out, &kStreamNotFinite, sizeof kStreamNotFinite);
    return;
  }
  const int64_t room = 8 * (bytes_ - header_bytes());
  int64_t used = arrange();
  const auto filled = [&] { return static_cast<double>(used) / static_cast<double>(room); };
  for (int attempt = 0; filled() < kFewCandidates && usual_ > 0 && multiple_ > kMinMultiple && attempt < kAttempts; ++attempt) {
    threshold *= kLower;
    multiple_ *= kLower;
    choose(tensors, threshold);
    used = arrange();
  }
  const double candidates = filled();
  const auto fitting = [&](double share) { return static_cast<size_t>(static_cast<double>(chosen_.places.size()) * share / filled()); };
  for (int attempt = 0; used > room && attempt < kAttempts; ++attempt) {
    keep_largest(fitting(kFull));
    used = arrange();
  }
  // Of equal magnitudes none is the largest: the first ones go, the others with the next messages.
  while (used > room) {
    keep_first(std::max<size_t>(1, fitting(0.9)));
    used = arrange();
  }
  write(out);
  sent_energy_ = chosen_energy();
  multiple_ *= static_cast<float>(std::pow(std::clamp(candidates / kCandidates, 0.25, 4.0), kGain));
  multiple_ = std::clamp(multiple_, kMinMultiple, kMaxMultiple);
}

std::vector<float> StreamEncoder::state() const {
  std::vector<float> numbers{multiple_, usual_};
  numbers.insert(numbers.end(), scales_.begin(), scales_.end());
  return numbers;
}

void StreamEncoder::load_state(const float* numbers) {
  multiple_ = std::isfinite(numbers[0]) ? std::clamp(numbers[0], kMinMultiple, kMaxMultiple) : kFirstMultiple;
  usual_ = std::isfinite(numbers[1]) ? numbers[1] : 0;
  for (size_t k = 0; k < scales_.size(); ++k) scales_[k] = numbers[2 + k] > 0 ? numbers[2 + k] : 1;
}

}  // namespace ringlab
