// How a rank's images are cut into steps, and those into batches. PROTOCOL.md, 'Images'.
#pragma once

#include <cstdint>
#include <vector>

namespace ringlab {

/// What each rank computes in a step.
struct StepSize {
  int64_t batch_size = 1;  ///< images
  int64_t accumulate = 1;  ///< batches
  int64_t images() const { return batch_size * accumulate; }
};

/// For `ranks` that share `global_batch` images as equally as whole batches of at most `max_batch_size` allow: with as few batches as possible, of half of it at least. The sum may differ from
/// `global_batch` by half an image for each batch. All arguments are 1 at least.
StepSize shared_step(int64_t global_batch, int64_t ranks, int64_t max_batch_size);

/// A step has `accumulate` batches of `batch_size` images, but for the last ones.
struct Cut {
  int64_t batch_size = 1;
  int64_t accumulate = 1;
  int64_t whole_steps = 0;
  /// For each step after those the images of its batches.
  std::vector<std::vector<int64_t>> rest;

  int64_t steps() const { return whole_steps + static_cast<int64_t>(rest.size()); }
  int64_t batches() const { return first_batch(steps()); }
  /// The number of the first batch of a step, counted over all steps; for `steps()` that of all batches.
  int64_t first_batch(int64_t step) const;
  /// The place of a batch's first image among the rank's; for `batches()` the number of images.
  int64_t begin(int64_t batch) const;
  /// Images of the first `steps` steps, of all where there are fewer.
  int64_t images(int64_t steps) const;
};

/// As PyTorch's DataLoader: whole batches, and one of what remains.
Cut cut_plain(int64_t images, int64_t batch_size, int64_t accumulate = 1);

/// For training. `replicas` share each batch, in the parts of tensor.chunk(), and none can train on one image: those of the last batch that would leave one alone are
/// omitted. 0: one image is enough.
Cut cut_for_training(int64_t images, int64_t batch_size, int64_t accumulate, int64_t replicas);

/// The last two steps have equal parts of what remains, and their batches too: no step is smaller than half a step. With less than two steps one that has them all.
Cut cut_evenly(int64_t images, int64_t batch_size, int64_t accumulate);

}  // namespace ringlab
