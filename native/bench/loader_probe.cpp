// loader_probe train|val|decode DIR IMAGE_SIZE BATCH IMAGES [draft]. Reads IMAGES images with the loader only, set up as in
// the trainer, with one worker; prints one line of JSON: `images`, `seconds` and `cpu_seconds`, counted from the first batch
// on. `decode` reads the same images and only decodes them in full with libjpeg: an upper bound for loaders that decode whole
// images. `draft` is the trainer's --draft.
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "base/clock.h"
#include "base/memory.h"
#include "data/loading/loader.h"
#include "data/loading/sampler.h"
#include "data/sources/open_data.h"

namespace ringlab {
namespace {

/// Wall time, and processor time of all threads of this process.
struct Stopwatch {
  double wall = steady_seconds();
  double cpu = cpu_seconds();

  void report(int64_t images) const {
    std::printf("{\"images\": %lld, \"seconds\": %.6f, \"cpu_seconds\": %.6f}\n", static_cast<long long>(images), steady_seconds() - wall, cpu_seconds() - cpu);
  }
};

void drain(const DataSet& set, bool training, int size, int64_t batch_size, int64_t wanted, bool draft) {
  LoaderSettings settings;
  settings.shape.size = size;
  settings.workers = 1;
  settings.training = training;
  settings.draft = draft;
  settings.seed = 1;
  // One long epoch, as in real training: start-up is not counted.
  std::vector<int64_t> indices;
  for (int64_t pass = 0; static_cast<int64_t>(indices.size()) < wanted + batch_size; ++pass) {
    const auto more = training ? training_indices(set.size(), 0, 1, 1, pass) : validation_indices(set.size(), 0, 1);
    indices.insert(indices.end(), more.begin(), more.end());
  }
  settings.cut = cut_plain(static_cast<int64_t>(indices.size()), batch_size);
  Loader loader(set, std::move(indices), settings, [](const Broken& broken) { throw std::runtime_error(broken.path + ": " + broken.reason); });
  loader.next();
  const Stopwatch stopwatch;
  int64_t images = 0;
  while (const auto batch = loader.next()) images += batch->count;
  stopwatch.report(images);
}

void decode_all(const DataSet& set, int64_t wanted) {
  const Stopwatch stopwatch;
  int64_t pixels = 0;
  for (int64_t i = 0; i < wanted; ++i) pixels += decode_jpeg(std::get<std::vector<uint8_t>>(set.read(i % set.size()))).width;
  if (pixels == 0) throw std::runtime_error("nothing was decoded");
  stopwatch.report(wanted);
}

}  // namespace
}  // namespace ringlab

int main(int argc, char** argv) {
  using namespace ringlab;
  try {
    const bool draft = argc == 7 && std::string(argv[6]) == "draft";
    const std::string what = argc == 6 || draft ? argv[1] : "";
    if (what != "train" && what != "val" && what != "decode") throw std::runtime_error("usage: loader_probe train|val|decode DIR IMAGE_SIZE BATCH IMAGES [draft]");
    keep_freed_memory();
    const Splits splits = open_data(argv[2], 0);
    if (what == "decode") decode_all(*splits.train, std::stoll(argv[5]));
    else drain(what == "train" ? *splits.train : *splits.val, what == "train", std::stoi(argv[3]), std::stoll(argv[4]), std::stoll(argv[5]), draft);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "loader_probe: %s\n", error.what());
    return 1;
  }
}
