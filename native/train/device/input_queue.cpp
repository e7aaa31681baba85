#include "train/device/input_queue.h"

#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace ringlab {
namespace {

/// Views of the batch's memory. const_cast because from_blob has no const overload; it does not write.
torch::Tensor images_of(const Batch& batch) {
  return torch::from_blob(const_cast<float*>(batch.images.data()), {batch.count, batch.shape.channels, batch.shape.size, batch.shape.size}, torch::kFloat);
}
torch::Tensor labels_of(const Batch& batch) { return torch::from_blob(const_cast<int64_t*>(batch.labels.data()), {batch.count}, torch::kLong); }

/// Waits for its copies, so that a batch that has arrived on a GPU can give its memory back.
Input on_device(BatchPointer batch, at::Device device) {
  Input input;
  input.count = batch->count;
  if (input.count > 0) {
    input.images = images_of(*batch).to(device);
    input.labels = labels_of(*batch).to(device);
  }
  if (device.is_cpu()) input.memory = std::move(batch);
  return input;
}

Input on_own_stream(BatchPointer batch, at::Device device) {
  const c10::StreamGuard own(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device));
  return on_device(std::move(batch), device);
}

}  // namespace

std::optional<Input> InputQueue::next() {
  Input input;
  if (coming_.valid()) {
    input = coming_.get();
    // The allocator must not give this memory to the copying stream again while the training's stream reads it.
    const auto stream = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
    for (const auto& tensor : {input.images, input.labels}) {
      if (tensor.defined()) tensor.record_stream(stream);
    }
  } else {
    auto batch = loader_.next();
    if (!batch) return std::nullopt;
    input = on_device(std::move(batch), device_);
  }
  if (channels_last_ && input.count > 0) input.images = input.images.contiguous(at::MemoryFormat::ChannelsLast);
  return input;
}

void InputQueue::prefetch() {
  if (device_.is_cpu() || coming_.valid() || !loader_.ready()) return;
  coming_ = std::async(std::launch::async, [batch = loader_.next(), device = device_]() mutable { return on_own_stream(std::move(batch), device); });
}

}  // namespace ringlab
