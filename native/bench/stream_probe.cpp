// How fast a streamed average encodes and decodes, in processor time: `ninja -C native/build stream_probe && native/build/bench/stream_probe 0.145`.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "sync/stream/stream_codec.h"

namespace {

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

/// usage: stream_probe BITS. One line of JSON: MB of float32 a second each way, milliseconds of a step of resnet18's 11 million parameters.
int main(int, char** arguments) {
  const double bits = arguments[1] == nullptr ? 0.145 : std::atof(arguments[1]);
  // resnet18's larger matrices, a third of each: one rank's chunk of three.
  std::vector<int64_t> lengths{3136};
  for (const int64_t width : {64, 128, 256, 512}) {
    for (int layer = 0; layer < 4; ++layer) lengths.push_back(3 * width * width / (layer == 0 && width > 64 ? 2 : 1));
  }
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> anchors, locals;
  int64_t count = 0;
  for (const int64_t length : lengths) {
    anchors.emplace_back(static_cast<size_t>(length));
    for (float& value : anchors.back()) value = normal(random);
    locals.push_back(anchors.back());
    count += length;
  }
  const int64_t bytes = ringlab::stream_bytes(lengths, bits);
  ringlab::StreamEncoder encoder(lengths, bytes);
  std::vector<uint8_t> message(static_cast<size_t>(bytes));
  double encoding = 0, decoding = 0;
  constexpr int kWarm = 20, kSteps = 60;
  for (int step = 0; step < kWarm + kSteps; ++step) {
    std::vector<ringlab::Difference> changes;
    for (size_t k = 0; k < lengths.size(); ++k) {
      for (float& value : locals[k]) value += 0.001F * normal(random);
      changes.push_back({anchors[k].data(), locals[k].data(), lengths[k]});
    }
    const double started = seconds();
    encoder.encode(changes, message.data());
    const double encoded = seconds();
    ringlab::StreamDecoder(message.data(), bytes, lengths).each([&](size_t k, int64_t at, float value) { locals[k][static_cast<size_t>(at)] += value; });
    const double decoded = seconds();
    if (step < kWarm) continue;
    encoding += encoded - started;
    decoding += decoded - encoded;
  }
  const double megabytes = 4e-6 * static_cast<double>(count) * kSteps;
  // A rank encodes its three chunks and one mean, and decodes three to add them and six to land.
  std::printf(R"({"bits": %g, "encode_mb_per_second": %.0f, "decode_mb_per_second": %.0f, "milliseconds_per_step": %.1f})" "\n", bits, megabytes / encoding, megabytes / decoding,
              1e3 * (4 * encoding + 9 * decoding) / kSteps);
  return 0;
}
