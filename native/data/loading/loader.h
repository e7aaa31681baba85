// Worker threads that decode images ahead of the training loop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "data/loading/cut.h"
#include "data/pixels/transforms.h"
#include "data/sources/data_set.h"

namespace ringlab {

/// std::allocator aligned to cache lines: whole lines are written at once.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* at, size_t) { ::operator delete(at, kLine); }
  template <typename U>
  bool operator==(const LineAllocator<U>&) const { return true; }
  template <typename U>
  bool operator!=(const LineAllocator<U>&) const { return false; }
};
using Floats = std::vector<float, LineAllocator<float>>;

/// One batch: `images` holds count * shape.floats() floats (N, C, H, W), `labels` holds `count`.
struct Batch {
  InputShape shape;
  int64_t count = 0;
  Floats images;
  std::vector<int64_t> labels;
};

/// A pool of batches: a new batch's memory would be zeroed twice before use, by the kernel and by std::vector.
/// Thread-safe; lives as long as a batch of it.
class UsedBatches {
 public:
  std::unique_ptr<Batch> take();
  void give_back(std::unique_ptr<Batch> batch);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Batch>> batches_;
};

/// Returns a batch to its pool.
struct ReturnBatch {
  std::shared_ptr<UsedBatches> to;
  void operator()(Batch* batch) const { to->give_back(std::unique_ptr<Batch>(batch)); }
};
using BatchPointer = std::unique_ptr<Batch, ReturnBatch>;

/// An image that could not be read.
struct Broken {
  int64_t index = 0;     ///< in the set
  bool replaces = false;  ///< it was tried in the place of another one
  std::string path;
  std::string reason;
};

/// `count` of `images` (which: "validation") are broken, which is more than 1 %. `more` ends the message.
Failure too_many_broken(int64_t count, int64_t images, const std::string& which, const std::string& more = {});

struct LoaderSettings {
  InputShape shape;
  Cut cut;  ///< of the indices, into batches
  int64_t share = 0;  ///< images of which at most 1 % may be broken, where the indices are a part of them; 0: the indices
  int workers = 0;  ///< at most; 0: decode in the caller's thread
  bool training = false;
  bool draft = false;  ///< large JPEGs are decoded at a reduced size: see Transformer
  uint64_t seed = 0;  ///< augmentation depends on (seed, epoch, index of the image) only
  int64_t epoch = 0;
  int64_t first_batch = 0;  ///< batches before this one are skipped without decoding: for a resume within an epoch
};

/// Returns the batches of one epoch in order, for any number of workers. In training a broken image is replaced by the
/// next readable one of the set, so that every rank keeps its number of steps; in validation it is omitted from its
/// batch. If more of the indices' images are broken than 1 % of the share, next() throws Failure (bad_data). Not thread-safe.
class Loader {
 public:
  /// `set` must outlive the loader. `on_broken` is called from next(), in the caller's thread, once per image.
  Loader(const DataSet& set, std::vector<int64_t> indices, LoaderSettings settings, std::function<void(const Broken&)> on_broken);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Of all batches of the epoch, including those before first_batch.
  const Cut& cut() const { return settings_.cut; }

  /// Threads that decode; 0: the caller's does. Fewer than were asked for where the system has refused one, for the reason `refused`.
  int workers() const { return static_cast<int>(threads_.size()); }
  const std::string& refused() const { return refused_; }

  /// Would next() return a batch at once? Without workers it never does.
  bool ready();

  /// The next batch; null after the last one. A validation batch may be smaller than the batch size, even empty.
  BatchPointer next();

 private:
  struct Slot {
    BatchPointer batch;
    std::vector<Broken> broken;
    std::exception_ptr error;
    bool done = false;
  };
  void work();
  void fill(Transformer& transformer, int64_t number, Slot& slot) const;
  bool load_one(Transformer& transformer, int64_t index, bool replaces, float* out, std::vector<Broken>& broken) const;

  const DataSet& set_;
  const std::vector<int64_t> indices_;
  const LoaderSettings settings_;
  const std::function<void(const Broken&)> on_broken_;
  const std::shared_ptr<UsedBatches> used_ = std::make_shared<UsedBatches>();
  Transformer own_transformer_;  ///< used by next() without workers
  int64_t batches_ = 0;
  std::unordered_map<int64_t, bool> broken_;  ///< indices of those that were reported, and whether they count as this rank's
  int64_t broken_count_ = 0;

  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable batch_ready_;
  std::deque<std::shared_ptr<Slot>> window_;  ///< window_[0] is batch next_
  int64_t next_ = 0;                          ///< the batch that next() returns
  int64_t claimed_ = 0;                       ///< the batch that the next free worker takes
  int64_t ahead_ = 0;
  std::atomic<bool> closing_{false};          ///< read without the lock within a batch
  std::vector<std::thread> threads_;
  std::string refused_;
};

}  // namespace ringlab
