// The model and how a batch goes through it: replicas, statistics over ranks, memory format, precision.
#include <ATen/Context.h>
#include <torch/cuda.h>

#include <cstdio>

#include "base/suggest.h"
#include "compat/autocast.h"
#include "data/loading/loader.h"
#include "models/freeze.h"
#include "models/layers/batch_norm.h"
#include "train/trainer.h"

namespace ringlab {
namespace {

/// Weights of convolutions as the kernels for such pictures read them.
void keep_channels_last(torch::nn::Module& model) {
  for (auto& parameter : model.parameters()) {
    if (parameter.dim() == 4) parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
  }
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

void Trainer::prepare_model() {
  say("=> creating model '" + options_.arch + "'");
  ModelSettings settings;
  settings.classes = data_.classes;
  settings.image_size = options_.image_size;
  settings.input_channels = options_.input_channels;
  const auto make = [this, settings] {
    auto model = make_model(options_.arch, settings);
    if (options_.channels_last) keep_channels_last(*model);
    freeze(*model, options_.freeze);
    if (options_.freeze_bn && hold_frozen_batch_norms(*model) == 0) {
      throw Failure(ErrorCode::usage, "--freeze-bn: no batch norm of " + options_.arch + " is frozen by --freeze " + join(options_.freeze));
    }
    return model;
  };
  model_ = make();
  model_->to(device_);
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
  return options_.channels_last ? images.contiguous(at::MemoryFormat::ChannelsLast) : images;
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
