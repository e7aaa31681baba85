// The codec of `sparse=BITS`: places and signs of the largest values, and a magnitude for each group of them.
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "sync/stream/bit_stream.h"
#include "sync/codec.h"

namespace ringlab {
namespace {

constexpr int64_t kGroup = 128;
constexpr int kScaleBits = 16;
constexpr uint32_t kNotFinite = 0xFFFFFFFF;
/// The budget is used well enough from this share on.
constexpr double kFull = 0.94;
constexpr int kAttempts = 5;
constexpr int64_t kSample = 32768;

class SparseCodec : public Codec {
 public:
  explicit SparseCodec(double bits) : bits_(bits) {}

  int64_t block() const override { return 1; }
  /// Room for one value at least.
  int64_t bytes(int64_t count) const override { return kHeader + std::max<int64_t>(12, static_cast<int64_t>(std::ceil(static_cast<double>(count) * bits_ / 8))); }
  bool coarse() const override { return true; }

  void encode(const float* values, int64_t count, uint8_t* out) const override {
    const int64_t room = 8 * (bytes(count) - kHeader);
    std::vector<float> sample;
    const int64_t stride = std::max<int64_t>(1, count / kSample);
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) finite = finite && std::isfinite(values[i]);
    if (!finite) {
      std::memset(out, 0, static_cast<size_t>(bytes(count)));
      std::memcpy(out, &kNotFinite, sizeof kNotFinite);
      return;
    }
    for (int64_t i = 0; i < count; i += stride) sample.push_back(std::fabs(values[i]));
    std::sort(sample.begin(), sample.end(), std::greater<>());
    // Where values lie close together they cost less than one expects, so the share that fits is found by trying.
    double share = expected_share();
    std::vector<int64_t> chosen;
    std::array<int64_t, 1024> part;  // without a branch a value: which ones are chosen cannot be guessed
    size_t fitting = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto at = static_cast<size_t>(share * static_cast<double>(sample.size()));
      const float threshold = at < sample.size() ? sample[at] : 0.0F;
      chosen.clear();
      for (int64_t from = 0; from < count; from += static_cast<int64_t>(part.size())) {
        const int64_t to = std::min(count, from + static_cast<int64_t>(part.size()));
        size_t many = 0;
        for (int64_t i = from; i < to; ++i) {
          part[many] = i;
          many += std::fabs(values[i]) > threshold ? 1 : 0;
        }
        chosen.insert(chosen.end(), part.begin(), part.begin() + static_cast<int64_t>(many));
      }
      int64_t used = 0;
      fitting = fit(chosen.data(), chosen.size(), room, used);
      const double filled = static_cast<double>(used) / static_cast<double>(room);
      // Of a vector of few values all may fit.
      if (filled <= 1 && (filled >= kFull || threshold == 0)) break;
      share = std::min(1.0, share * (filled > 0 ? std::min(4.0, 0.975 / filled) : 4.0));
    }
    std::memset(out, 0, static_cast<size_t>(bytes(count)));
    write(values, chosen.data(), fitting, out);
  }

  void decode(const uint8_t* in, int64_t count, float* values) const override {
    uint32_t many = 0;
    std::memcpy(&many, in, sizeof many);
    std::fill(values, values + count, many == kNotFinite ? std::numeric_limits<float>::quiet_NaN() : 0.0F);
    if (many == kNotFinite) return;
    BitReader reader(in + kHeader, bytes(count) - kHeader);
    int64_t at = -1;
    float scale = 0;
    int parameter = 0;
    for (uint32_t k = 0; k < many; ++k) {
      if (k % kGroup == 0) {
        c10::BFloat16 mean;
        mean.x = static_cast<uint16_t>(reader.take(kScaleBits));
        scale = static_cast<float>(mean);
        parameter = static_cast<int>(reader.take(kRiceParameterBits));
      }
      at += take_rice(reader, parameter) + 1;
      const bool negative = reader.take(1) == 1;
      if (at >= count) return;
      values[at] = negative ? -scale : scale;
    }
  }

 private:
  static constexpr int64_t kHeader = sizeof(uint32_t);

  /// Of equally likely places: a gap of mean 1 / p takes about log2(1 / p) + 1.1 bits, a sign 1.
  double expected_share() const {
    const double each = 2.1 + static_cast<double>(kScaleBits + kRiceParameterBits) / kGroup;
    double low = 0;
    double high = 0.5;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (middle * (std::log2(1 / middle) + each) < bits_ ? low : high) = middle;
    }
    return low;
  }

  static int parameter_of(const int64_t* chosen, size_t members, int64_t before) { return rice_parameter(chosen[members - 1] - before, static_cast<int64_t>(members)); }

  /// How many of the chosen fit, in whole groups; `used` is what all of them would take.
  static size_t fit(const int64_t* chosen, size_t many, int64_t room, int64_t& used) {
    size_t fitting = 0;
    int64_t before = -1;
    for (size_t from = 0; from < many; from += kGroup) {
      const size_t to = std::min(many, from + static_cast<size_t>(kGroup));
      const int parameter = parameter_of(chosen + from, to - from, before);
      used += kScaleBits + kRiceParameterBits;
      for (size_t k = from; k < to; ++k) {
        used += rice_bits(static_cast<uint32_t>(chosen[k] - before - 1), parameter) + 1;
        before = chosen[k];
      }
      if (used <= room) fitting = to;
    }
    return fitting;
  }

  static void write(const float* values, const int64_t* chosen, size_t many, uint8_t* out) {
    const auto header = static_cast<uint32_t>(many);
    std::memcpy(out, &header, sizeof header);
    BitWriter writer(out + kHeader);
    int64_t before = -1;
    for (size_t from = 0; from < many; from += kGroup) {
      const size_t to = std::min(many, from + static_cast<size_t>(kGroup));
      double sum = 0;
      for (size_t k = from; k < to; ++k) sum += std::fabs(values[chosen[k]]);
      const int parameter = parameter_of(chosen + from, to - from, before);
      writer.put(c10::BFloat16(static_cast<float>(sum / static_cast<double>(to - from))).x, kScaleBits);
      writer.put(static_cast<uint32_t>(parameter), kRiceParameterBits);
      for (size_t k = from; k < to; ++k) {
        put_rice(writer, static_cast<uint32_t>(chosen[k] - before - 1), parameter);
        before = chosen[k];
        writer.put(values[chosen[k]] < 0 ? 1 : 0, 1);
      }
    }
  }

  double bits_;
};

}  // namespace

std::unique_ptr<Codec> make_sparse_codec(double bits) { return std::make_unique<SparseCodec>(bits); }

}  // namespace ringlab
