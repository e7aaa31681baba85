// What comes from another rank: messages of compressed changes, cut, mutated and made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "sync/stream/stream_codec.h"
#include "tests/fuzz.h"

namespace ringlab {
namespace {

std::vector<int64_t> some_lengths(Stream& random) {
  std::vector<int64_t> lengths;
  for (int64_t k = random.below(5); k >= 0; --k) lengths.push_back(chance(10, random) ? 0 : random.below(chance(10, random) ? 20'000 : 300));
  return lengths;
}

/// The lengths' number and the lengths, two bytes each, the bits in hundredths, then the message.
std::string message(Stream& random) {
  const auto lengths = some_lengths(random);
  const int64_t hundredths = 1 + random.below(400);
  std::vector<std::vector<float>> values;
  std::vector<Difference> tensors;
  for (const int64_t length : lengths) {
    values.emplace_back(static_cast<size_t>(length));
    for (float& value : values.back()) value = chance(30, random) ? 0.0F : static_cast<float>(random.below(2001) - 1000);
  }
  for (const auto& tensor : values) tensors.push_back({tensor.data(), nullptr, static_cast<int64_t>(tensor.size())});
  const int64_t bytes = stream_bytes(lengths, static_cast<double>(hundredths) / 100);
  std::string out(static_cast<size_t>(bytes), '\0');
  StreamEncoder(lengths, bytes).encode(tensors, reinterpret_cast<uint8_t*>(out.data()));
  for (int64_t broken = random.below(6); broken > 0; --broken) {
    const int64_t size = chance(50, random) ? 4 : 1;
    const auto at = static_cast<size_t>(random.below(chance(50, random) ? std::min<int64_t>(bytes - size + 1, 48) : bytes - size + 1));
    const uint64_t number = chance(50, random) ? limit_number(random) : static_cast<uint64_t>(random.below(1 << 30));
    out.replace(at, static_cast<size_t>(size), little_endian(number, static_cast<int>(size)));
  }
  std::string head = little_endian(lengths.size(), 1);
  for (const int64_t length : lengths) head += little_endian(static_cast<uint64_t>(length), 2);
  return head + little_endian(static_cast<uint64_t>(hundredths), 2) + out;
}

TEST(FuzzMade, Streams) {
  fuzz_made("stream", message, [](const std::string& bytes) {
    size_t next = 0;
    const auto number = [&](size_t size) {
      uint64_t value = 0;
      if (bytes.size() - next < size) return value;
      std::memcpy(&value, bytes.data() + next, size);
      next += size;
      return value;
    };
    std::vector<int64_t> lengths(number(1));
    for (int64_t& length : lengths) length = static_cast<int64_t>(number(2));
    const int64_t expected = stream_bytes(lengths, static_cast<double>(number(2)) / 100);
    // The transport gives as many bytes as were asked for: a copy of its own, so that a sanitizer sees a read past its end.
    std::vector<uint8_t> own(static_cast<size_t>(expected));
    std::memcpy(own.data(), bytes.data() + next, std::min(own.size(), bytes.size() - next));
    int64_t taken = 0;
    size_t last_tensor = 0;
    int64_t last_place = -1;
    StreamDecoder(own.data(), expected, lengths).each([&](size_t tensor, int64_t place, float) {
      ASSERT_LT(tensor, lengths.size());
      ASSERT_GE(place, 0);
      ASSERT_LT(place, lengths[tensor]);
      ASSERT_TRUE(tensor > last_tensor || (tensor == last_tensor && place > last_place));
      last_tensor = tensor;
      last_place = place;
      ++taken;
    });
    EXPECT_LE(taken, std::accumulate(lengths.begin(), lengths.end(), int64_t{0}));
  });
}

}  // namespace
}  // namespace ringlab
