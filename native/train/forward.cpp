// The model and how a batch goes through it: replicas, statistics over ranks, memory format, precision.
#include <ATen/Context.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/clock.h"
#include "base/suggest.h"
#include "compat/autocast.h"
#include "data/loading/loader.h"
#include "models/freeze.h"
#include "models/layers/batch_norm.h"
#include "train/generators.h"
#include "train/memory_format.h"
#include "train/trainer.h"

namespace ringlab {
namespace {

/// Of all threads: what other processes take of the machine is no part of it.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

std::vector<at::Device> Trainer::replica_devices() const {
  if (!device_.is_cuda()) return std::vector<at::Device>(static_cast<size_t>(options_.replicas > 0 ? options_.replicas : 2), at::kCPU);
  const auto count = options_.replicas > 0 ? options_.replicas : static_cast<int>(torch::cuda::device_count());
  std::vector<at::Device> devices{device_};
  for (int index = 0; static_cast<int>(devices.size()) < count; ++index) {
    if (index != device_.index()) devices.emplace_back(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  }
  return devices;
}

/// Forward and backward as a training step computes them, of noise.
FormatTimes Trainer::time_formats() {
  const Value generators = generator_states(device_);
  const auto pass = [this](int64_t batch, at::MemoryFormat format) {
    const auto options = torch::TensorOptions(torch::kFloat).device(device_);
    const auto images = torch::rand({batch, options_.input_channels, options_.image_size, options_.image_size}, options).contiguous(format);
    const auto losses = losses_for(images, torch::zeros({batch}, options.dtype(torch::kLong))).second;
    losses.objective.backward();
    losses.own.item();  // waits for a GPU
  };
  const FormatTimes times = time_memory_formats(*model_, options_.batch_size, pass, device_.is_cuda() ? steady_seconds : cpu_seconds);
  restore_generators(generators, device_);
  return times;
}

/// The same on every rank: rank 0 knows what the checkpoint has, and the slowest rank decides what is faster.
bool Trainer::choose_channels_last(const LoadedCheckpoint* resumed) {
  if (options_.channels_last != "auto") return options_.channels_last == "on";
  const bool own = resumed != nullptr && resumed->position.has_value();
  auto known = torch::tensor({own || options_.evaluate ? 1.0F : 0.0F, own && is_channels_last(resumed->state_dict) ? 1.0F : 0.0F});
  if (communicator_ != nullptr) communicator_->start_allreduce_max(known)();
  if (known[0].item<float>() > 0) return known[1].item<float>() > 0;
  const auto parameters = model_->parameters();
  if (std::none_of(parameters.begin(), parameters.end(), [](const auto& parameter) { return parameter.requires_grad(); })) return false;
  FormatTimes times = time_formats();
  auto slowest = torch::tensor({times.contiguous, times.channels_last}, torch::kFloat);
  if (communicator_ != nullptr) communicator_->start_allreduce_max(slowest)();
  times = {slowest[0].item<float>(), slowest[1].item<float>()};
  const bool chosen = prefers_channels_last(times);
  say(std::string("=> memory format: ") + (chosen ? "channels-last" : "contiguous") + " (forward and backward: contiguous " + milliseconds(times.contiguous) + ", channels-last " +
      milliseconds(times.channels_last) + ")");
  return chosen;
}

void Trainer::prepare_model(const LoadedCheckpoint* resumed) {
  say("=> creating model '" + options_.arch + "'");
  ModelSettings settings;
  settings.classes = data_.classes;
  settings.image_size = options_.image_size;
  settings.input_channels = options_.input_channels;
  settings.auxiliary = form_.auxiliary;
  settings.transform_input = form_.transform_input;
  if (form_.transform_input) say("=> pictures as torchvision's transform_input=True gives them; in Python: " + in_python(options_.arch, data_.classes, form_));
  const auto make = [this, settings] {
    auto model = make_model(options_.arch, settings);
    if (channels_last_) set_memory_format(*model, at::MemoryFormat::ChannelsLast);
    freeze(*model, options_.freeze);
    if (options_.freeze_bn && hold_frozen_batch_norms(*model) == 0) {
      throw Failure(ErrorCode::usage, "--freeze-bn: no batch norm of " + options_.arch + " is frozen by --freeze " + join(options_.freeze));
    }
    return model;
  };
  model_ = make();
  model_->to(device_);
  channels_last_ = choose_channels_last(resumed);
  if (channels_last_) set_memory_format(*model_, at::MemoryFormat::ChannelsLast);
  if (options_.parallel == "dp") replicas_ = std::make_unique<Replicas>(model_, make, replica_devices());
  if (options_.sync_bn && communicator_ != nullptr) {
    const auto exchange = std::make_shared<StatisticsExchange>();
    exchange->gather = [this](const at::Tensor& row) { return communicator_->all_gather(row); };
    exchange->sum = [this](const at::Tensor& row) { communicator_->allreduce_sum(row); };
    if (synchronise_batch_norms(*model_, exchange) == 0) metrics_.warn("no_batch_norm", options_.arch + " has no batch norm", "--sync-bn changes nothing");
  }
}

at::ScalarType Trainer::training_type() const { return options_.amp == "fp16" ? at::kHalf : options_.amp == "bf16" ? at::kBFloat16 : at::kFloat; }

torch::Tensor Trainer::input_of(const Batch& batch) const {
  const auto images = images_of(batch).to(device_);
  return channels_last_ ? images.contiguous(at::MemoryFormat::ChannelsLast) : images;
}

/// In precision `type`, which the calling thread has; replicas compute in threads of their own.
Outputs Trainer::forward(const torch::Tensor& images, at::ScalarType type) {
  if (!replicas_) return model_->outputs(images);
  return replicas_->forward(images, [this, type](const std::function<void()>& compute) {
    const compat::Autocast precision(device_.type(), type);
    compute();
  });
}

}  // namespace ringlab
