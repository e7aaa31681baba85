#include "data/loading/cut.h"

#include <algorithm>
#include <numeric>

namespace ringlab {
namespace {

/// `images` in `parts` parts, the larger ones first.
std::vector<int64_t> equal_parts(int64_t images, int64_t parts) {
  std::vector<int64_t> sizes(static_cast<size_t>(parts), images / parts);
  for (int64_t i = 0; i < images % parts; ++i) ++sizes[static_cast<size_t>(i)];
  return sizes;
}

/// The last of the parts into which tensor.chunk() divides a batch.
int64_t smallest_chunk(int64_t images, int64_t replicas) {
  const int64_t chunk = (images + replicas - 1) / replicas;
  return images - (images - 1) / chunk * chunk;
}

}  // namespace

StepSize shared_step(int64_t global_batch, int64_t ranks, int64_t max_batch_size) {
  const int64_t accumulate = (global_batch + ranks * max_batch_size - 1) / (ranks * max_batch_size);
  const int64_t batches = ranks * accumulate;
  return {std::max<int64_t>(1, (global_batch + batches / 2) / batches), accumulate};
}

int64_t Cut::first_batch(int64_t step) const {
  int64_t first = std::min(step, whole_steps) * accumulate;
  for (int64_t i = whole_steps; i < step; ++i) first += static_cast<int64_t>(rest[static_cast<size_t>(i - whole_steps)].size());
  return first;
}

int64_t Cut::begin(int64_t batch) const {
  const int64_t whole = std::min(batch, whole_steps * accumulate);
  int64_t place = whole * batch_size;
  int64_t left = batch - whole;
  for (const auto& step : rest) {
    const auto count = std::min(left, static_cast<int64_t>(step.size()));
    place = std::accumulate(step.begin(), step.begin() + count, place);
    left -= count;
  }
  return place;
}

int64_t Cut::images(int64_t steps) const { return begin(first_batch(std::min(steps, this->steps()))); }

Cut cut_plain(int64_t images, int64_t batch_size, int64_t accumulate) {
  Cut cut{batch_size, accumulate, images / (batch_size * accumulate), {}};
  std::vector<int64_t> last;
  for (int64_t left = images % (batch_size * accumulate); left > 0; left -= batch_size) last.push_back(std::min(left, batch_size));
  if (!last.empty()) cut.rest.push_back(std::move(last));
  return cut;
}

Cut cut_for_training(int64_t images, int64_t batch_size, int64_t accumulate, int64_t replicas) {
  // Where it is the only one nothing else could be trained on.
  int64_t last = images > batch_size ? images % batch_size : 0;
  const int64_t whole = images - last;
  while (replicas > 0 && last > 0 && smallest_chunk(last, replicas) == 1) --last;
  return cut_plain(whole + last, batch_size, accumulate);
}

Cut cut_evenly(int64_t images, int64_t batch_size, int64_t accumulate) {
  const int64_t step = batch_size * accumulate;
  const int64_t steps = (images + step - 1) / step;
  Cut cut{batch_size, accumulate, std::max<int64_t>(0, steps - 2), {}};
  if (steps == 0) return cut;
  for (const int64_t part : equal_parts(images - cut.whole_steps * step, std::min<int64_t>(steps, 2))) {
    // No batch of one image: batch norm cannot train on it.
    cut.rest.push_back(equal_parts(part, std::max<int64_t>(1, std::min((part + batch_size - 1) / batch_size, part / 2))));
  }
  return cut;
}

}  // namespace ringlab
