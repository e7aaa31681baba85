#include "models/memory_format.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace ringlab {
namespace {

/// If a pass takes this long, the batch is large enough.
constexpr double kEnoughSeconds = 0.15;
constexpr int kRepetitions = 2;

}  // namespace

void set_memory_format(torch::nn::Module& model, at::MemoryFormat format) {
  for (auto& parameter : model.parameters()) {
    if (parameter.dim() == 4) parameter.set_data(parameter.detach().contiguous(format));
  }
}

bool is_channels_last(const Value& state_dict) {
  if (!state_dict.is_dict()) return false;
  for (const auto& [key, value] : state_dict.entries()) {
    if (value.kind() != Value::Kind::tensor || value.as_tensor().sizes.size() != 4) continue;
    const auto& sizes = value.as_tensor().sizes;
    const auto& strides = value.as_tensor().strides;
    const bool one_pixel = sizes[2] == 1 && sizes[3] == 1;
    if (one_pixel || sizes[1] == 1) continue;
    return strides[1] == 1;
  }
  return false;
}

FormatTimes time_memory_formats(torch::nn::Module& model, int64_t largest_batch, const FormatPass& pass, double (*seconds)()) {
  std::vector<std::pair<at::Tensor, at::Tensor>> buffers;
  for (const auto& buffer : model.buffers()) buffers.emplace_back(buffer, buffer.detach().clone());
  const auto measure = [&](int64_t batch, at::MemoryFormat format) {
    set_memory_format(model, format);
    // Gradients in the other memory format would be copied in each backward pass.
    for (auto& parameter : model.parameters()) parameter.mutable_grad().reset();
    const double started = seconds();
    pass(batch, format);
    return seconds() - started;
  };
  // Batch norms of one pixel need two images. The first pass of each size also prepares kernels. Too few images do not predict
  // larger batches, as the cost of the weights dominates.
  int64_t batch = std::min<int64_t>(2, largest_batch);
  const auto prepared = [&](at::MemoryFormat format) { return measure(batch, format), measure(batch, format); };
  while (prepared(at::MemoryFormat::Contiguous) < kEnoughSeconds && batch < largest_batch) batch = std::min(2 * batch, largest_batch);
  measure(batch, at::MemoryFormat::ChannelsLast);
  FormatTimes times{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  // Alternating, so that other load on this machine affects both.
  for (int i = 0; i < kRepetitions; ++i) {
    times.channels_last = std::min(times.channels_last, measure(batch, at::MemoryFormat::ChannelsLast));
    times.contiguous = std::min(times.contiguous, measure(batch, at::MemoryFormat::Contiguous));
  }
  const at::NoGradGuard no_grad;
  for (auto& [buffer, before] : buffers) buffer.copy_(before);
  for (auto& parameter : model.parameters()) parameter.mutable_grad().reset();
  return times;
}

bool prefers_channels_last(const FormatTimes& times) { return times.channels_last < 0.95 * times.contiguous; }

}  // namespace ringlab
