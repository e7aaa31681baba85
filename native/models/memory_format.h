// The order of a model's convolution weights in memory (torch.channels_last), and which of the two is faster on this machine.
#pragma once

#include <torch/nn/module.h>

#include <functional>

#include "values/value.h"

namespace ringlab {

/// Lays out every parameter of four dimensions so; values and the parameters' identity stay.
void set_memory_format(torch::nn::Module& model, at::MemoryFormat format);

/// Is a weight of this state_dict in channels-last order? Kernels of 1 × 1 are in both orders, and say nothing.
bool is_channels_last(const Value& state_dict);

/// Seconds of one forward and backward of the same batch.
struct FormatTimes {
  double contiguous = 0;
  double channels_last = 0;
};

/// Computes forward and backward of a batch of so many pictures in this order, and waits for the device.
using FormatPass = std::function<void(int64_t batch, at::MemoryFormat format)>;

/// Measures both orders in one to two seconds, and longer where even two pictures need longer, by the clock `seconds`. Parameters, buffers and
/// gradients are afterwards as before, in contiguous order; random generators are not. Nothing is exchanged between ranks.
FormatTimes time_memory_formats(torch::nn::Module& model, int64_t largest_batch, const FormatPass& pass, double (*seconds)());

/// Channels-last where it saves at least 5 %: less is noise, and contiguous is what Python's program computes in.
bool prefers_channels_last(const FormatTimes& times);

}  // namespace ringlab
