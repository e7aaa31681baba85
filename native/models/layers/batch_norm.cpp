#include "models/layers/batch_norm.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/functional/batchnorm.h>

#include <cmath>

#include "models/layers/training_norm.h"

namespace ringlab {
namespace {

/// (C) to the shape that broadcasts over (N, C, H, W).
at::Tensor by_channel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }

/// Over all ranks, per channel; biased variance.
struct Statistics {
  at::Tensor mean;
  at::Tensor variance;
  double count = 0;
};

/// Combines the ranks' means and variances (Chan et al. 1979): without a sum of squares, which would cancel. A rank without
/// pixels has weight 0.
Statistics over_all_ranks(const at::Tensor& input, const StatisticsExchange& exchange) {
  const int64_t channels = input.size(1);
  const auto [own_mean, own_variance] = at::batch_norm_update_stats(input, {}, {}, 0.0);
  const auto count = static_cast<float>(input.numel() / channels);
  const auto rows = exchange.gather(at::cat({own_mean, own_variance, at::full({1}, count, own_mean.options())}));
  const at::Tensor all = at::stack(rows).to(at::kDouble);
  const at::Tensor means = all.narrow(1, 0, channels);
  const at::Tensor counts = all.narrow(1, 2 * channels, 1);
  Statistics result;
  result.count = counts.sum().item<double>();
  const at::Tensor mean = (means * counts).sum(0) / result.count;
  const at::Tensor variance = ((all.narrow(1, channels, channels) + (means - mean).square()) * counts).sum(0) / result.count;
  result.mean = mean.to(at::kFloat);
  result.variance = variance.to(at::kFloat);
  return result;
}

class Normalise : public torch::autograd::Function<Normalise> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& mean,
                            const at::Tensor& inverse_deviation, double count, const std::shared_ptr<const StatisticsExchange>& exchange) {
    context->save_for_backward({input, weight, mean, inverse_deviation});
    context->saved_data["count"] = count;
    context->saved_data["exchange"] = reinterpret_cast<int64_t>(exchange.get());
    const at::Tensor scale = weight * inverse_deviation;
    return at::addcmul(by_channel(bias - mean * scale), input, by_channel(scale)).to(input.scalar_type());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor input = saved[0].to(at::kFloat);
    const at::Tensor& weight = saved[1];
    const at::Tensor& mean = saved[2];
    const at::Tensor& inverse_deviation = saved[3];
    const at::Tensor gradient = gradients[0].to(at::kFloat);
    // With these statistics the weight's gradient is the sum of gradient times normalised input, the bias's that of the gradient.
    auto [unused, of_weight, of_bias] = at::native_batch_norm_backward(gradient, input, weight, {}, {}, mean, inverse_deviation, /*train=*/true, 0.0, {false, true, true});
    at::Tensor of_input;
    // The same decision on all ranks: it depends only on the model whether a layer before this one is trained.
    if (context->needs_input_grad(0)) {
      const int64_t channels = input.size(1);
      const at::Tensor sums = at::cat({of_weight, of_bias});
      reinterpret_cast<const StatisticsExchange*>(context->saved_data["exchange"].toInt())->sum(sums);
      sums.div_(context->saved_data["count"].toDouble());
      const at::Tensor scale = weight * inverse_deviation;
      const at::Tensor slope = scale * inverse_deviation * sums.narrow(0, 0, channels);
      const at::Tensor level = mean * slope - scale * sums.narrow(0, channels, channels);
      of_input = at::addcmul(by_channel(level), input, by_channel(-slope)).addcmul_(gradient, by_channel(scale)).to(saved[0].scalar_type());
    }
    return {of_input, of_weight, of_bias, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

torch::Tensor BatchNorm2dImpl::forward(const torch::Tensor& input) {
  _check_input_dim(input);
  double momentum = options.momentum() ? *options.momentum() : 0;
  const bool training = is_training() && !held_;
  if (training) {
    num_batches_tracked += 1;
    if (!options.momentum()) momentum = 1.0 / num_batches_tracked.item<double>();  // the cumulative mean over all batches
  }
  if (!exchange_ || !training) {
    const NormState state{weight, bias, running_mean, running_var, momentum, options.eps()};
    if (training && can_train_norm(input, state)) return training_norm(input, state);
    return torch::nn::functional::detail::batch_norm(input, running_mean, running_var, weight, bias, training, momentum, options.eps());
  }
  at::Tensor inverse_deviation;
  Statistics statistics;
  {
    const torch::NoGradGuard no_grad;
    statistics = over_all_ranks(input.to(at::kFloat), *exchange_);
    inverse_deviation = (statistics.variance + options.eps()).rsqrt();
    const double unbiased = statistics.count / (statistics.count - 1);
    running_mean.mul_(1 - momentum).add_(statistics.mean, momentum);
    running_var.mul_(1 - momentum).add_(statistics.variance, momentum * unbiased);
  }
  return Normalise::apply(input, weight, bias, statistics.mean, inverse_deviation, statistics.count, exchange_);
}

int64_t synchronise_batch_norms(torch::nn::Module& model, const std::shared_ptr<const StatisticsExchange>& exchange) {
  int64_t count = 0;
  for (const auto& module : model.modules()) {
    auto* norm = module->as<BatchNorm2dImpl>();
    if (norm == nullptr) continue;
    norm->share(exchange);
    ++count;
  }
  return count;
}

}  // namespace ringlab
