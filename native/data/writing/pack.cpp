#include "data/writing/pack.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stop_signal.h"
#include "data/formats/image_formats.h"
#include "data/loading/start_threads.h"
#include "data/pixels/resize.h"
#include "data/sources/image_folder.h"
#include "data/sources/open_data.h"
#include "data/sources/packed_images.h"
#include "data/writing/pack_writer.h"

namespace ringlab {
namespace {

namespace fs = std::filesystem;

ImageSize reduced(ImageSize size, int edge) {
  const int shorter = std::min(size.width, size.height);
  if (shorter <= edge) return size;
  const auto longer = static_cast<int>(static_cast<int64_t>(edge) * std::max(size.width, size.height) / shorter);
  return size.width < size.height ? ImageSize{edge, longer} : ImageSize{longer, edge};
}

/// Throws BrokenImage.
Image decoded(const std::vector<uint8_t>& bytes, int edge) {
  Image image = decode_image(bytes);
  const ImageSize size = reduced({image.width, image.height}, edge);
  if (size.width == image.width && size.height == image.height) return image;
  return resize_bilinear(image.view(), size.width, size.height, {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)});
}

/// Estimated bytes of the split's pack, from an evenly spaced sample of its images.
uint64_t estimate(const ImageFolder& folder, int edge) {
  constexpr int64_t kLookedAt = 200;
  const int64_t step = std::max<int64_t>(1, folder.size() / kLookedAt);
  double bytes = 0;
  int64_t looked_at = 0;
  for (int64_t i = 0; i < folder.size(); i += step) {
    try {
      const auto file = std::get<std::vector<uint8_t>>(folder.read(i));
      const ImageSize size = reduced(image_size(file), edge);
      bytes += 3.0 * size.width * size.height + 100;  // and its index entry
      ++looked_at;
    } catch (const BrokenImage&) {
    }
  }
  return looked_at == 0 ? 0 : static_cast<uint64_t>(bytes / static_cast<double>(looked_at) * static_cast<double>(folder.size()));
}

/// One image, passed through the threads.
struct Work {
  int64_t index = 0;
  std::optional<Image> image;
  std::string broken;
};

/// Decodes all of `work` on several threads; returns why there are fewer than `workers`, or "". Rethrows exceptions other than broken images (out of memory).
std::string decode_together(const ImageFolder& folder, int edge, int workers, std::vector<Work>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto decode = [&] {
    try {
      for (size_t i = next++; i < work.size() && !stop_requested(); i = next++) {
        try {
          work[i].image = decoded(std::get<std::vector<uint8_t>>(folder.read(work[i].index)), edge);
        } catch (const BrokenImage& error) {
          work[i].broken = error.what();
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  std::string refused = start_threads(threads, workers - 1, decode);
  decode();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  if (stop_requested()) throw Stopped();
  return refused;
}

void write_split(const ImageFolder& folder, const char* split, const PackSettings& settings, PackWriter& writer) {
  const int64_t count = folder.size();
  const int64_t together = int64_t{8} * settings.workers;
  const size_t below = folder.root().size() + 1;
  const double start = steady_seconds();
  double reported = start;
  int64_t broken = 0;
  bool warned = false;
  for (int64_t from = 0; from < count; from += together) {
    std::vector<Work> work(static_cast<size_t>(std::min(together, count - from)));
    for (size_t i = 0; i < work.size(); ++i) work[i].index = from + static_cast<int64_t>(i);
    const std::string refused = decode_together(folder, settings.edge, settings.workers, work);
    if (!refused.empty() && !std::exchange(warned, true)) {
      std::fprintf(stderr, "ringlab-train: warning: %s: not all of %d decoding threads could be started: %s; goes on with fewer (a smaller --workers, or a higher limit on processes: ulimit -u, a container's pids limit)\n",
                   split, settings.workers, refused.c_str());
    }
    for (const Work& done : work) {
      const std::string path = folder.name(done.index);
      if (done.image) {
        writer.add(*done.image, folder.label(done.index), path.substr(below));
        continue;
      }
      std::fprintf(stderr, "ringlab-train: warning: %s: %s; left out\n", path.c_str(), done.broken.c_str());
      if (++broken * 100 > count) {
        throw std::move(Failure(ErrorCode::bad_data,
                                std::to_string(broken) + " of " + std::to_string(count) + " images in " + folder.root() + " are broken, the last " + path + " (" + done.broken + ")",
                                "more than 1 % is taken as a damaged data set: copy it again, or remove the broken files")
                            .at_path(path));
      }
    }
    const double now = steady_seconds();
    const int64_t done = from + static_cast<int64_t>(work.size());
    if (now - reported < 2 && done < count) continue;
    reported = now;
    const double seconds = std::max(1e-3, now - start);
    std::printf("%s: %lld of %lld images, %.0f a second\n", split, static_cast<long long>(done), static_cast<long long>(count), static_cast<double>(done) / seconds);
    std::fflush(stdout);
  }
  if (broken > 0) std::printf("%s: %lld broken images left out\n", split, static_cast<long long>(broken));
}

void check_space(const std::string& folder, uint64_t needed) {
  std::error_code unknown;
  const auto space = fs::space(folder, unknown);
  if (unknown || space.available >= needed) return;
  throw std::move(Failure(ErrorCode::disk_full, "no space for the packs in " + folder + ": about " + std::to_string(needed / 1000000) + " MB needed, " + std::to_string(space.available / 1000000) + " MB free",
                          "free some space, give another folder (--out) or a smaller --edge")
                      .at_path(folder));
}

}  // namespace

bool pack(const PackSettings& given) {
  PackSettings settings = given;
  if (settings.workers == 0) settings.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (settings.out.empty()) settings.out = settings.dir + "/packed";
  const Splits splits = open_data(settings.dir, 0);
  const auto* train = dynamic_cast<const ImageFolder*>(splits.train.get());
  const auto* val = dynamic_cast<const ImageFolder*>(splits.val.get());
  if (train == nullptr || val == nullptr) {
    const bool packed = dynamic_cast<const PackedImages*>(splits.train.get()) != nullptr;
    std::printf("%s holds %s, nothing to do\n", settings.dir.c_str(), packed ? "packs" : "pixels, not files to decode");
    return false;
  }
  if (train->classes() != val->classes()) {
    throw std::move(Failure(ErrorCode::bad_data, "train and val have different classes: " + settings.dir, "give both the same class folders").at_path(settings.dir));
  }
  std::error_code error;
  if (fs::equivalent(settings.out, settings.dir, error)) throw Failure(ErrorCode::usage, "pack: --out " + settings.out + ": holds the images themselves; give another folder");
  fs::create_directories(settings.out, error);
  if (error) throw std::move(Failure(ErrorCode::internal, settings.out + ": " + error.message(), "check that the folder can be written").at_path(settings.out));
  const uint64_t train_bytes = estimate(*train, settings.edge);
  const uint64_t val_bytes = estimate(*val, settings.edge);
  check_space(settings.out, train_bytes + val_bytes);
  for (const DataSet* set : {splits.train.get(), splits.val.get()}) {
    for (const Remark& remark : set->remarks()) std::fprintf(stderr, "ringlab-train: warning: %s (%s)\n", remark.message.c_str(), remark.hint.c_str());
  }

  const auto edge = static_cast<uint32_t>(settings.edge);
  PackWriter train_pack(settings.out + "/" + kTrainPack, edge, train->classes(), train_bytes);
  PackWriter val_pack(settings.out + "/" + kValPack, edge, val->classes(), val_bytes);
  write_split(*train, "train", settings, train_pack);
  write_split(*val, "val", settings, val_pack);
  const uint64_t bytes = train_pack.finish() + val_pack.finish();
  if (stop_requested()) throw Stopped();
  train_pack.commit();
  val_pack.commit();
  std::printf("packed %lld training and %lld validation images, %.1f MB, in %s: give that folder as DIR\n", static_cast<long long>(train_pack.images()),
              static_cast<long long>(val_pack.images()), static_cast<double>(bytes) / 1e6, settings.out.c_str());
  return true;
}

int pack_command(const std::vector<std::string>& arguments) {
  PackSettings settings;
  parse_arguments("pack", arguments,
                  {number_row("--edge", settings.edge, 16, 8192),
                   {"--out", true,
                    [&](const std::string&, const std::string& value) {
                      if (value.empty()) throw Failure(ErrorCode::usage, "pack: --out: give a folder");
                      settings.out = value;
                    }},
                   number_row("--workers", settings.workers, 1, 256)},
                  [&](const std::string& folder) {
                    if (!settings.dir.empty()) throw Failure(ErrorCode::usage, "pack: " + folder + ": one folder only");
                    settings.dir = folder;
                  });
  if (settings.dir.empty()) throw Failure(ErrorCode::usage, "pack: DIR is missing");
  while (settings.dir.size() > 1 && settings.dir.back() == '/') settings.dir.pop_back();
  pack(settings);
  return 0;
}

}  // namespace ringlab
