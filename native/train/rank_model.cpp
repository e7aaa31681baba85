#include "train/rank_model.h"

#include <ATen/Functions.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/console.h"
#include "base/error.h"
#include "base/suggest.h"
#include "checkpoint/generators.h"
#include "compat/autocast.h"
#include "models/freeze.h"
#include "models/layers/batch_norm.h"

namespace ringlab {
namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

RankModel::RankModel(const RunContext& run, const ModelForm& form, const LoadedCheckpoint* resumed) : run_(run), form_(form) {
  const Options& options = run.options;
  say("=> creating model '" + options.arch + "'");
  ModelSettings settings;
  settings.classes = run.data.classes;
  settings.image_size = options.image_size;
  settings.input_channels = options.input_channels;
  settings.auxiliary = form.auxiliary;
  settings.transform_input = form.transform_input;
  if (form.transform_input) say("=> images as torchvision's transform_input=True gives them; in Python: " + in_python(options.arch, run.data.classes, form));
  const auto make = [this, &options, settings] {
    auto model = make_model(options.arch, settings);
    if (channels_last_) set_memory_format(*model, at::MemoryFormat::ChannelsLast);
    freeze(*model, options.freeze);
    if (options.freeze_bn && hold_frozen_batch_norms(*model) == 0) {
      throw Failure(ErrorCode::usage, "--freeze-bn: no batch norm of " + options.arch + " is frozen by --freeze " + join(options.freeze));
    }
    return model;
  };
  model_ = make();
  model_->to(run.device);
  channels_last_ = choose_channels_last(resumed);
  if (channels_last_) set_memory_format(*model_, at::MemoryFormat::ChannelsLast);
  if (options.parallel == Parallel::dp) {
    devices_ = replica_devices();
    replicas_ = std::make_unique<Replicas>(model_, make, devices_);
  }
  if (options.sync_bn && run.communicator != nullptr) {
    const auto exchange = std::make_shared<StatisticsExchange>();
    exchange->gather = [communicator = run.communicator](const at::Tensor& row) { return communicator->all_gather(row); };
    exchange->sum = [communicator = run.communicator](const at::Tensor& row) { communicator->allreduce_sum(row); };
    if (synchronise_batch_norms(*model_, exchange) == 0) run.metrics.warn("no_batch_norm", options.arch + " has no batch norm", "--sync-bn changes nothing");
  }
}

/// Forward and backward as in a training step, on noise.
FormatTimes RankModel::time_formats() {
  const Value generators = generator_states(run_.device);
  const auto pass = [this](int64_t batch, at::MemoryFormat format) {
    const auto kind = torch::TensorOptions(torch::kFloat).device(run_.device);
    const auto images = torch::rand({batch, run_.options.input_channels, run_.options.image_size, run_.options.image_size}, kind).contiguous(format);
    const auto losses = losses_for(images, torch::zeros({batch}, kind.dtype(torch::kLong))).second;
    losses.objective.backward();
    losses.own.item();  // waits for a GPU
  };
  const FormatTimes times = time_memory_formats(*model_, run_.options.batch_size, pass, run_.device.is_cuda() ? steady_seconds : cpu_seconds);
  restore_generators(generators, run_.device);
  return times;
}

/// The same on every rank: rank 0 reads it from the checkpoint, and the slowest rank decides which is faster.
bool RankModel::choose_channels_last(const LoadedCheckpoint* resumed) {
  const When wanted = run_.options.channels_last;
  if (wanted != When::automatic) return wanted == When::on;
  const bool own = resumed != nullptr && resumed->position.has_value();
  auto known = torch::tensor({own || run_.options.evaluate ? 1.0F : 0.0F, own && ringlab::is_channels_last(resumed->state_dict) ? 1.0F : 0.0F});
  if (run_.communicator != nullptr) run_.communicator->start_allreduce_max(known)();
  if (known[0].item<float>() > 0) return known[1].item<float>() > 0;
  const auto parameters = model_->parameters();
  if (std::none_of(parameters.begin(), parameters.end(), [](const auto& parameter) { return parameter.requires_grad(); })) return false;
  FormatTimes times = time_formats();
  auto slowest = torch::tensor({times.contiguous, times.channels_last}, torch::kFloat);
  if (run_.communicator != nullptr) run_.communicator->start_allreduce_max(slowest)();
  times = {slowest[0].item<float>(), slowest[1].item<float>()};
  const bool chosen = prefers_channels_last(times);
  say(std::string("=> memory format: ") + (chosen ? "channels-last" : "contiguous") + " (forward and backward: contiguous " + milliseconds(times.contiguous) + ", channels-last " +
      milliseconds(times.channels_last) + ")");
  return chosen;
}

std::vector<at::Device> RankModel::replica_devices() const {
  const int wanted = run_.options.replicas;
  if (!run_.device.is_cuda()) return std::vector<at::Device>(static_cast<size_t>(wanted > 0 ? wanted : 2), at::kCPU);
  const auto count = wanted > 0 ? wanted : static_cast<int>(torch::cuda::device_count());
  std::vector<at::Device> devices{run_.device};
  for (int index = 0; static_cast<int>(devices.size()) < count; ++index) {
    if (index != run_.device.index()) devices.emplace_back(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  }
  return devices;
}

at::ScalarType RankModel::training_type() const { return run_.options.amp == Amp::fp16 ? at::kHalf : run_.options.amp == Amp::bf16 ? at::kBFloat16 : at::kFloat; }

Outputs RankModel::forward(const torch::Tensor& images, at::ScalarType type) {
  if (!replicas_) return model_->outputs(images);
  return replicas_->forward(images, [this, type](const std::function<void()>& compute) {
    const compat::Autocast precision(run_.device.type(), type);
    compute();
  });
}

std::pair<Outputs, Losses> RankModel::losses_for(const torch::Tensor& images, const torch::Tensor& labels) {
  const compat::Autocast precision(run_.device.type(), training_type());
  const Outputs answers = forward(images, training_type());
  return {answers, losses_of(*model_, answers, labels, run_.options.label_smoothing)};
}

void RankModel::finish_backward() {
  if (replicas_) replicas_->backward();
}

std::vector<torch::Tensor> RankModel::statistics() const {
  std::vector<torch::Tensor> found;
  for (const auto& item : model_->named_buffers()) {
    const std::string& name = item.key();
    const bool statistic = name.rfind(".running_") != std::string::npos || name.rfind("running_", 0) == 0;
    if (statistic) found.push_back(item.value().detach());
  }
  return found;
}

bool RankModel::is_finite() const {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : model_->parameters()) {
    if (!std::isfinite(parameter.sum().item<double>())) return false;
  }
  return true;
}

}  // namespace ringlab
