// Batch norm whose statistics may be taken over the batches of all ranks.
#pragma once

#include <torch/nn/modules/batchnorm.h>

#include <functional>
#include <memory>
#include <vector>

namespace ringlab {

/// How batch norms reach the other ranks. Both are collectives: called by all ranks in one order, which forward and backward
/// of one model give. backward calls from autograd's thread.
struct StatisticsExchange {
  /// One row a rank, in their order; `row` is of one dimension, of the same length everywhere.
  std::function<std::vector<at::Tensor>(const at::Tensor& row)> gather;
  /// Replaces `row` by its sum over all ranks.
  std::function<void(at::Tensor row)> sum;
};

/// torch::nn::BatchNorm2d with running statistics, weight and bias, to the bit, until it gets an exchange. From then on it computes
/// what torch.nn.SyncBatchNorm does while it trains: mean and variance over the pixels of all ranks' batches, which may differ in
/// size; each rank's gradients are those of the sum of all ranks' losses with respect to its own pixels, weights and biases, to be
/// averaged by the Reducer as all others. Statistics are computed and exchanged as floats, whatever the input's type.
///
/// Not derived from torch::nn::BatchNorm2dImpl: libtorch does not export all that its table of virtual functions names.
class BatchNorm2dImpl : public torch::nn::NormImplBase<2, BatchNorm2dImpl, torch::nn::BatchNormOptions> {
 public:
  using NormImplBase::NormImplBase;

  torch::Tensor forward(const torch::Tensor& input);
  void share(std::shared_ptr<const StatisticsExchange> exchange) { exchange_ = std::move(exchange); }
  /// From now on as in evaluation, whatever the module's mode.
  void hold() { held_ = true; }

 protected:
  void _check_input_dim(const torch::Tensor& input) override { TORCH_CHECK(input.dim() == 4, "expected 4 dimensions (got ", input.dim(), ")"); }

 private:
  std::shared_ptr<const StatisticsExchange> exchange_;
  bool held_ = false;
};

TORCH_MODULE(BatchNorm2d);

/// Gives the exchange to every batch norm in `model`; returns how many there are.
int64_t synchronise_batch_norms(torch::nn::Module& model, const std::shared_ptr<const StatisticsExchange>& exchange);

}  // namespace ringlab
