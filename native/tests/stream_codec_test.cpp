// The largest values of several tensors within a budget of bits, and the scan that finds them.
#include "sync/stream/stream_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ringlab {
namespace {

using Values = std::vector<std::vector<float>>;  ///< by tensor

std::vector<int64_t> lengths_of(const Values& values) {
  std::vector<int64_t> lengths;
  for (const auto& tensor : values) lengths.push_back(static_cast<int64_t>(tensor.size()));
  return lengths;
}

std::vector<Difference> differences(const Values& values) {
  std::vector<Difference> out;
  for (const auto& tensor : values) out.push_back({tensor.data(), nullptr, static_cast<int64_t>(tensor.size())});
  return out;
}

/// One end that sends and one that reads, message after message.
class Line {
 public:
  Line(const Values& like, double bits) : lengths_(lengths_of(like)), bytes_(stream_bytes(lengths_, bits)), encoder_(lengths_, bytes_) {}

  /// What is read of `values`; the bytes behind the message must stay as they are.
  Values send(const Values& values) {
    std::vector<uint8_t> message(static_cast<size_t>(bytes_) + 16, 0xA5);
    encoder_.encode(differences(values), message.data());
    for (size_t i = static_cast<size_t>(bytes_); i < message.size(); ++i) EXPECT_EQ(message[i], 0xA5) << "written past the end";
    Values back;
    for (const int64_t length : lengths_) back.emplace_back(static_cast<size_t>(length), 0.0F);
    sent_ = 0;
    StreamDecoder(message.data(), bytes_, lengths_).each([&](size_t tensor, int64_t place, float value) {
      back[tensor][static_cast<size_t>(place)] += value;
      ++sent_;
    });
    last_ = message;
    return back;
  }

  StreamEncoder& encoder() { return encoder_; }
  int64_t bytes() const { return bytes_; }
  size_t sent() const { return sent_; }
  const std::vector<uint8_t>& last() const { return last_; }

 private:
  std::vector<int64_t> lengths_;
  int64_t bytes_;
  StreamEncoder encoder_;
  size_t sent_ = 0;
  std::vector<uint8_t> last_;
};

Values normal_values(const std::vector<std::pair<size_t, float>>& tensors, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Values values;
  for (const auto& [count, scale] : tensors) {
    values.emplace_back(count);
    for (float& value : values.back()) value = scale * normal(random);
  }
  return values;
}

double energy(const Values& values) {
  double sum = 0;
  for (const auto& tensor : values) {
    for (const float value : tensor) sum += static_cast<double>(value) * value;
  }
  return sum;
}

Values minus(Values values, const Values& other) {
  for (size_t k = 0; k < values.size(); ++k) {
    for (size_t i = 0; i < values[k].size(); ++i) values[k][i] -= other[k][i];
  }
  return values;
}

TEST(StreamScan, FindsEveryLargeValueWhateverTheLength) {
  for (const size_t count : {0, 1, 31, 32, 33, 4096, 10007}) {
    const Values values = normal_values({{count, 1.0F}, {count, 1.0F}}, 7);
    for (const bool subtracts : {false, true}) {
      const Difference difference{values[0].data(), subtracts ? values[1].data() : nullptr, static_cast<int64_t>(count)};
      LargeValues found;
      const double sum = scan_large(difference, 1.5F, 100, found);
      LargeValues expected;
      double squares = 0;
      for (int64_t i = 0; i < difference.count; ++i) {
        squares += static_cast<double>(difference.at(i)) * difference.at(i);
        if (std::fabs(difference.at(i)) < 1.5F) continue;
        expected.places.push_back(static_cast<uint32_t>(100 + i));
        expected.values.push_back(difference.at(i));
      }
      EXPECT_EQ(found.places, expected.places) << count;
      EXPECT_EQ(found.values, expected.values) << count;
      EXPECT_NEAR(sum, squares, 1e-4 * squares);
    }
  }
}

TEST(StreamCodec, TakesItsBytesAndNoMore) {
  EXPECT_EQ(stream_bytes({1 << 20, 1 << 20}, 0.125), 1 << 15);
  // Of few values one can go at least.
  EXPECT_GT(stream_bytes({4}, 0.01), 30);
}

TEST(StreamCodec, FillsItsMessagesAfterAFewAndLosesLittleForThem) {
  const Values values = normal_values({{200000, 1.0F}, {100000, 1.0F}}, 1);
  for (const auto& [bits, lost] : {std::pair{2.0, 0.2}, {1.0, 0.47}, {0.25, 0.84}, {0.1, 0.93}}) {
    Line line(values, bits);
    Values back;
    for (int message = 0; message < 40; ++message) back = line.send(values);
    EXPECT_LT(energy(minus(values, back)) / energy(values), lost) << bits;
    const auto& bytes = line.last();
    size_t used = static_cast<size_t>(line.bytes());
    while (used > 0 && bytes[used - 1] == 0) --used;
    EXPECT_GT(static_cast<double>(used), 0.93 * static_cast<double>(line.bytes())) << bits;
  }
}

TEST(StreamCodec, MeasuresATensorInItsScale) {
  // The second one's values are a thousandth of the first one's: none of them go, and as many where their scale is, too.
  const Values values = normal_values({{50000, 1.0F}, {50000, 0.001F}}, 2);
  Line line(values, 0.3);
  const auto last = [&] {
    Values back;
    for (int message = 0; message < 20; ++message) back = line.send(values);
    return back;
  };
  EXPECT_EQ(energy({last()[1]}), 0);
  line.encoder().set_scales({1000, 1});
  const Values back = last();
  for (size_t k = 0; k < 2; ++k) EXPECT_LT(energy({minus(values, back)[k]}) / energy({values[k]}), 0.81) << k;
}

TEST(StreamCodec, RebuildsAtTheMeanOfALevel) {
  const Values values = normal_values({{100000, 1.0F}}, 3);
  Line line(values, 0.5);
  const Values back = line.send(values);
  double sent = 0, sum = 0;
  for (size_t i = 0; i < values[0].size(); ++i) {
    if (back[0][i] == 0) continue;
    EXPECT_EQ(std::signbit(back[0][i]), std::signbit(values[0][i]));
    sent += std::fabs(values[0][i]);
    sum += std::fabs(back[0][i]);
  }
  EXPECT_NEAR(sum, sent, 1e-4 * sent);
}

TEST(StreamCodec, SendsAllInTheEndWhereTheRestIsSentAgain) {
  // Equal magnitudes, of which none is the largest, and a tensor of zeros beside them.
  Values left{std::vector<float>(3000, -0.5F), std::vector<float>(100, 0.0F), normal_values({{2000, 1.0F}}, 4)[0]};
  const double before = energy(left);
  Line line(left, 0.3);
  for (int message = 0; message < 400; ++message) left = minus(left, line.send(left));
  EXPECT_LT(energy(left), 1e-3 * before);
}

/// Of what was left out much lies just below the threshold, and steps differ: as when training.
TEST(StreamCodec, FillsEachMessageWhereTheRestIsAddedToWhatComes) {
  Values left = normal_values({{50'000, 0}, {400'000, 0}}, 1);
  Line line(left, 0.15);
  for (unsigned step = 0; step < 80; ++step) {
    const float size = 1 + 0.6F * static_cast<float>(std::sin(step * 0.7)) + (step == 40 ? 3.0F : 0.0F);
    const Values change = normal_values({{50'000, 4 * size}, {400'000, size}}, step + 2);
    for (size_t k = 0; k < left.size(); ++k) {
      for (size_t i = 0; i < left[k].size(); ++i) left[k][i] += change[k][i] * change[k][i] * change[k][i];
    }
    left = minus(left, line.send(left));
    int64_t used = line.bytes();
    while (used > 0 && line.last()[static_cast<size_t>(used) - 1] == 0) --used;
    EXPECT_GT(static_cast<double>(used), 0.85 * static_cast<double>(line.bytes())) << step;
  }
}

TEST(StreamCodec, KnowsWithoutItsMessageWhatItSent) {
  const std::vector<std::pair<size_t, float>> tensors{{0, 1.0F}, {7, 100.0F}, {100'000, 1.0F}, {0, 1.0F}, {3000, 0.01F}};
  Line line(normal_values(tensors, 1), 0.2);
  line.encoder().set_scales({1, 50, 1, 1, 0.02F});
  using Sent = std::vector<std::tuple<size_t, int64_t, float>>;
  for (unsigned step = 0; step < 6; ++step) {
    Values values = normal_values(tensors, step + 2);
    if (step == 4) values[2][17] = std::numeric_limits<float>::infinity();
    const auto lengths = lengths_of(line.send(values));
    Sent decoded, sent;
    StreamDecoder(line.last().data(), line.bytes(), lengths).each([&](size_t tensor, int64_t place, float value) { decoded.emplace_back(tensor, place, value); });
    line.encoder().each_sent([&](size_t tensor, int64_t place, float value) { sent.emplace_back(tensor, place, value); });
    ASSERT_EQ(sent.size(), decoded.size()) << step;
    for (size_t i = 0; i < sent.size(); ++i) {
      if (std::isnan(std::get<2>(decoded[i]))) EXPECT_TRUE(std::isnan(std::get<2>(sent[i])));
      else ASSERT_EQ(sent[i], decoded[i]) << step << ' ' << i;
    }
  }
}

TEST(StreamCodec, TakesFewValues) {
  for (const size_t count : {1, 2, 3, 100}) {
    Values left{std::vector<float>(count, -0.5F), {}, {0.0F}};
    Line line(left, 0.01);
    for (int message = 0; message < 200; ++message) left = minus(left, line.send(left));
    EXPECT_LT(energy(left), 1e-3) << count;
  }
}

TEST(StreamCodec, SaysWhereAValueIsNotFiniteAndGoesOnAfterwards) {
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e30F}) {
    Values values = normal_values({{8000, 1.0F}, {50, 1.0F}}, 5);
    Line line(values, 0.5);
    line.send(values);
    Values broken = values;
    broken[1][20] = wrong;
    for (const auto& tensor : line.send(broken)) {
      for (const float value : tensor) EXPECT_TRUE(std::isnan(value));
    }
    line.send(values);
    EXPECT_GT(line.sent(), 20U);
    EXPECT_LT(line.sent(), 8000U);
  }
}

TEST(StreamCodec, ContinuesFromItsStateToTheBit) {
  const Values values = normal_values({{5000, 1.0F}, {700, 0.1F}}, 6);
  Line whole(values, 0.2);
  for (int message = 0; message < 5; ++message) whole.send(values);
  Line resumed(values, 0.2);
  const std::vector<float> state = whole.encoder().state();
  ASSERT_EQ(state.size(), resumed.encoder().state_size());
  resumed.encoder().load_state(state.data());
  whole.send(values);
  resumed.send(values);
  EXPECT_EQ(whole.last(), resumed.last());
}

}  // namespace
}  // namespace ringlab
