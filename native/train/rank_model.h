// This rank's model, and the forward and backward pass of a batch: replicas, statistics over ranks, memory format,
// precision.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "models/architectures/registry.h"
#include "models/loss.h"
#include "models/memory_format.h"
#include "models/replicas.h"
#include "train/model_form.h"
#include "train/run.h"

namespace ringlab {

/// Not thread-safe. `run` must outlive it.
class RankModel {
 public:
  /// A collective. Draws the initial weights from libtorch's default CPU generator. `resumed` is the checkpoint that rank 0 resumes, null without
  /// one and on the other ranks. Throws Failure (usage).
  RankModel(const RunContext& run, const ModelForm& form, const LoadedCheckpoint* resumed);

  Classifier& module() const { return *model_; }
  const ModelForm& form() const { return form_; }
  /// Number of replicas that share a batch; 0: the model computes itself.
  size_t replicas() const { return replicas_ ? devices_.size() : 0; }
  /// The memory format of weights and images.
  bool is_channels_last() const { return channels_last_; }

  /// In precision `type`, which is set for the calling thread; replicas compute in their own threads.
  Outputs forward(const torch::Tensor& images, at::ScalarType type);
  /// A forward pass in the training's precision, and its losses.
  std::pair<Outputs, Losses> losses_for(const torch::Tensor& images, const torch::Tensor& labels);
  /// Call it after backward has reached the outputs of forward().
  void finish_backward();

  /// Running statistics of batch norm: with local steps they differ between ranks until an epoch's end.
  std::vector<torch::Tensor> statistics() const;
  /// Are all weights finite?
  bool is_finite() const;

 private:
  FormatTimes time_formats();
  bool choose_channels_last(const LoadedCheckpoint* resumed);
  std::vector<at::Device> replica_devices() const;
  at::ScalarType training_type() const;

  const RunContext& run_;
  const ModelForm form_;
  bool channels_last_ = false;
  std::shared_ptr<Classifier> model_;
  std::vector<at::Device> devices_;     ///< of the replicas
  std::unique_ptr<Replicas> replicas_;  ///< null: the model computes itself
};

}  // namespace ringlab
