// The memory format of a model's convolution weights (torch.channels_last), and which of the two is faster on this machine.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>

#include "values/value.h"

namespace ringlab {

/// Converts every parameter of four dimensions; values and the parameters' identity are unchanged.
void set_memory_format(torch::nn::Module& model, at::MemoryFormat format);

/// Is a weight of this state_dict in channels-last format? Kernels of 1 × 1 are in both formats and do not count.
bool is_channels_last(const Value& state_dict);

/// Seconds of one forward and backward of the same batch.
struct FormatTimes {
  double contiguous = 0;
  double channels_last = 0;
};

/// Computes forward and backward of a batch of this many images in this format, and waits for the device.
using FormatPass = std::function<void(int64_t batch, at::MemoryFormat format)>;

/// Measures both formats in one to two seconds, or longer if two images take longer, with the clock `seconds`. Parameters,
/// buffers and gradients are afterwards restored, in contiguous format; random generators are not. No communication between
/// ranks.
FormatTimes time_memory_formats(torch::nn::Module& model, int64_t largest_batch, const FormatPass& pass, double (*seconds)());

/// Channels-last if it saves at least 5 %: less is noise, and contiguous is the format of Python's program.
bool prefers_channels_last(const FormatTimes& times);

}  // namespace ringlab
