// The batches of a loader on a rank's device.
#pragma once

#include <c10/core/Device.h>
#include <torch/types.h>

#include <cstdint>
#include <future>
#include <optional>

#include "data/loading/loader.h"

namespace ringlab {

/// One batch on the rank's device.
struct Input {
  BatchPointer memory;   ///< on a CPU `images` is a view of it
  torch::Tensor images;  ///< (N, C, H, W) floats
  torch::Tensor labels;  ///< (N) int64
  int64_t count = 0;
};

/// On a GPU the next batch is copied, by a thread and on a stream of its own, while the current one is computed: what DataLoader's pinned memory and
/// prefetching are for. For the training thread; `loader` must outlive it and be used by nothing else.
class InputQueue {
 public:
  /// `channels_last`: the images' memory format.
  InputQueue(Loader& loader, at::Device device, bool channels_last) : loader_(loader), device_(device), channels_last_(channels_last) {}

  const Cut& cut() const { return loader_.cut(); }

  /// The next batch; nothing after the last one. An empty batch has no tensors. Throws what Loader::next() throws.
  std::optional<Input> next();

  /// Call it when the device has been given its work: starts to copy the next batch to a GPU, if the loader has it ready. Throws what Loader::next() throws.
  void prefetch();

 private:
  Loader& loader_;
  const at::Device device_;
  const bool channels_last_;
  std::future<Input> coming_;  ///< its destructor waits for the copy
};

}  // namespace ringlab
