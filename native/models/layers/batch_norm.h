// Batch norm with optional statistics over the batches of all ranks.
#pragma once

#include <torch/nn/modules/batchnorm.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ringlab {

/// Batch norms' access to the other ranks. Both are collectives: all ranks call them in the same order, given by forward and
/// backward of the same model. backward calls them from autograd's thread.
struct StatisticsExchange {
  /// One row per rank, in rank order; `row` has one dimension and the same length on all ranks.
  std::function<std::vector<at::Tensor>(const at::Tensor& row)> gather;
  /// Replaces `row` by its sum over all ranks.
  std::function<void(at::Tensor row)> sum;
};

/// torch::nn::BatchNorm2d with running statistics, weight and bias, bit for bit, until it gets an exchange. From then on it
/// computes torch.nn.SyncBatchNorm in training: mean and variance over the pixels of all ranks' batches, which may differ in
/// size; each rank's gradients are those of the sum of all ranks' losses with respect to its own pixels, weights and biases, to
/// be averaged by the Reducer as all others. Statistics are computed and exchanged as floats, whatever the input's type. Not
/// derived from torch::nn::BatchNorm2dImpl: libtorch does not export everything in its vtable.
class BatchNorm2dImpl : public torch::nn::NormImplBase<2, BatchNorm2dImpl, torch::nn::BatchNormOptions> {
 public:
  using NormImplBase::NormImplBase;

  torch::Tensor forward(const torch::Tensor& input);
  void share(std::shared_ptr<const StatisticsExchange> exchange) { exchange_ = std::move(exchange); }
  /// From now on normalises as in evaluation, whatever the module's mode.
  void hold() { held_ = true; }

 protected:
  void _check_input_dim(const torch::Tensor& input) override { TORCH_CHECK(input.dim() == 4, "expected 4 dimensions (got ", input.dim(), ")"); }

 private:
  std::shared_ptr<const StatisticsExchange> exchange_;
  bool held_ = false;
};

TORCH_MODULE(BatchNorm2d);

/// Sets the exchange of every batch norm in `model`; returns their number.
int64_t synchronise_batch_norms(torch::nn::Module& model, const std::shared_ptr<const StatisticsExchange>& exchange);

}  // namespace ringlab
