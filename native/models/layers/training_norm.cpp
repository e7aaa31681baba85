#include "models/layers/training_norm.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "models/layers/norm_gradients.h"
#include "models/layers/norm_kernels.h"

namespace ringlab {
namespace {

/// Roundings of libtorch that its compiler chose: which multiplications and additions are rounded once.
struct Rounding {
  bool beta_once = false;
  bool output_once = false;
  /// Is the momentum a float, as in libtorch 1.13, or a double, as in later ones?
  bool float_momentum = false;
};

struct Normed {
  at::Tensor output;
  at::Tensor mean;
  at::Tensor inverse_deviation;
};

PlaneShape shape_of(const at::Tensor& input) { return {input.size(0), input.size(1), input.size(2) * input.size(3)}; }

/// One channel of a step: converts its statistics to scale and offset.
struct ChannelResult {
  float inverse_deviation;
  float alpha;
  float beta;
};

ChannelResult finish_channel(float mean, float squares, int64_t count, double eps, float weight, float bias, const Rounding& rounding) {
  const double variance = squares / static_cast<float>(count);
  ChannelResult result{};
  result.inverse_deviation = variance != 0 || eps != 0 ? static_cast<float>(1 / std::sqrt(variance + eps)) : 0.0F;
  result.alpha = result.inverse_deviation * weight;
  const volatile float product = mean * result.alpha;  // volatile: prevents contraction by the compiler
  result.beta = rounding.beta_once ? std::fma(-mean, result.alpha, bias) : bias - product;
  return result;
}

/// With C++'s usual arithmetic conversions, as in libtorch: with a float momentum, products of floats are floats.
template <typename Momentum>
void update_running(Momentum momentum, float mean, double unbiased, float& running_mean, float& running_var) {
  running_mean = static_cast<float>(momentum * mean + (1 - momentum) * running_mean);
  running_var = static_cast<float>(momentum * unbiased + (1 - momentum) * running_var);
}

Normed normalise(const at::Tensor& input, const NormState& state, const Rounding& rounding) {
  const PlaneShape shape = shape_of(input);
  const int64_t count = shape.images * shape.pixels;
  Normed result{at::empty_like(input, input.suggest_memory_format()), at::empty({shape.channels}, input.options()), at::empty({shape.channels}, input.options())};
  const auto* from = input.data_ptr<float>();
  auto* to = result.output.data_ptr<float>();
  auto* mean = result.mean.data_ptr<float>();
  auto* inverse = result.inverse_deviation.data_ptr<float>();
  const auto* weight = state.weight.data_ptr<float>();
  const auto* bias = state.bias.data_ptr<float>();
  auto* running_mean = state.running_mean.data_ptr<float>();
  auto* running_var = state.running_var.data_ptr<float>();
  constexpr int64_t kGroup = 8;
  at::parallel_for(0, (shape.channels + kGroup - 1) / kGroup, 1, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group * kGroup;
      const int64_t last = std::min(first + kGroup, shape.channels);
      float squares[kGroup];
      channel_statistics(from, shape, first, last, mean + first, squares);
      for (int64_t c = first; c < last; ++c) {
        const float sum = squares[c - first];
        const ChannelResult channel = finish_channel(mean[c], sum, count, state.eps, weight[c], bias[c], rounding);
        inverse[c] = channel.inverse_deviation;
        const double unbiased = sum / static_cast<float>(count - 1);
        rounding.float_momentum ? update_running(static_cast<float>(state.momentum), mean[c], unbiased, running_mean[c], running_var[c])
                                : update_running(state.momentum, mean[c], unbiased, running_mean[c], running_var[c]);
        for (int64_t n = 0; n < shape.images; ++n) {
          const int64_t at = (n * shape.channels + c) * shape.pixels;
          scale_plane(from + at, to + at, shape.pixels, channel.alpha, channel.beta, rounding.output_once);
        }
      }
    }
  });
  return result;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) { return std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0; }

NormState clone_of(const NormState& state) {
  NormState copy = state;
  copy.running_mean = state.running_mean.clone();
  copy.running_var = state.running_var.clone();
  return copy;
}

/// Pseudo-random numbers, so that no rounding difference is hidden; the same on every call.
at::Tensor irregular(at::IntArrayRef sizes, double seed) {
  const at::Tensor numbers = at::arange(at::numel(at::empty(sizes)), at::kDouble);
  return (at::sin(numbers * 12.9898 + seed) * 43758.5453).frac().mul(3).add(at::cos(numbers * seed)).to(at::kFloat).view(sizes).contiguous();
}

bool agrees(at::IntArrayRef sizes, double momentum, const Rounding& rounding) {
  const int64_t channels = sizes[1];
  const NormState start{irregular({channels}, 0.3), irregular({channels}, 0.7), irregular({channels}, 1.1), irregular({channels}, 1.9).abs(), momentum, 1e-5};
  const at::Tensor input = irregular(sizes, 2.3);
  const NormState theirs = clone_of(start);
  const NormState ours = clone_of(start);
  const auto [output, mean, inverse] = at::native_batch_norm(input, theirs.weight, theirs.bias, theirs.running_mean, theirs.running_var, true, theirs.momentum, theirs.eps);
  const Normed own = normalise(input, ours, rounding);
  return same_bits(output, own.output) && same_bits(mean, own.mean) && same_bits(inverse, own.inverse_deviation) && same_bits(theirs.running_mean, ours.running_mean) &&
         same_bits(theirs.running_var, ours.running_var);
}

/// Detects this libtorch's rounding; nothing if it computes differently.
std::optional<Rounding> find_rounding() {
  if (!has_norm_kernels()) return std::nullopt;
  const at::AutoDispatchBelowAutograd no_autograd;
  for (int choice = 0; choice < 8; ++choice) {
    const Rounding rounding{(choice & 1) == 0, (choice & 2) == 0, (choice & 4) == 0};
    if (agrees({5, 19, 7, 7}, 0.1, rounding) && agrees({3, 16, 16, 8}, 0.01, rounding) && agrees({2, 3, 3, 1}, 0.3, rounding) && agrees({4, 9, 2, 2}, 0.0003, rounding)) return rounding;
  }
  return std::nullopt;
}

const std::optional<Rounding>& rounding_here() {
  static const std::optional<Rounding> rounding = find_rounding();
  return rounding;
}

struct Differentiated {
  at::Tensor of_input;
  at::Tensor of_weight;
  at::Tensor of_bias;
};

/// `wanted`: gradients of input, weight, bias. Others stay undefined.
Differentiated differentiate(const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& mean, const at::Tensor& inverse_deviation,
                             const GradientRounding& rounding, const std::array<bool, 3>& wanted) {
  const PlaneShape shape = shape_of(input);
  Differentiated result;
  NormGradients out;
  const auto make = [](at::Tensor& tensor, at::Tensor fresh) { return (tensor = std::move(fresh)).data_ptr<float>(); };
  if (wanted[0]) out.input = make(result.of_input, at::empty_like(input));
  if (wanted[1]) out.weight = make(result.of_weight, at::empty_like(weight));
  if (wanted[2]) out.bias = make(result.of_bias, at::empty_like(weight));
  const NormStatistics statistics{mean.data_ptr<float>(), inverse_deviation.data_ptr<float>(), weight.data_ptr<float>()};
  const auto* from = input.data_ptr<float>();
  const auto* of_output = gradient.data_ptr<float>();
  constexpr int64_t kGroup = 8;
  at::parallel_for(0, (shape.channels + kGroup - 1) / kGroup, 1, [&](int64_t begin, int64_t end) {
    norm_gradients(from, of_output, shape, begin * kGroup, std::min(end * kGroup, shape.channels), statistics, rounding, out);
  });
  return result;
}

bool agrees(at::IntArrayRef sizes, const GradientRounding& rounding) {
  const int64_t channels = sizes[1];
  const at::Tensor input = irregular(sizes, 2.3);
  const at::Tensor gradient = irregular(sizes, 0.9);
  const at::Tensor weight = irregular({channels}, 0.3);
  const at::Tensor mean = irregular({channels}, 0.5);
  const at::Tensor inverse = irregular({channels}, 1.7).abs();
  const auto [of_input, of_weight, of_bias] = at::native_batch_norm_backward(gradient, input, weight, {}, {}, mean, inverse, /*train=*/true, 1e-5, {true, true, true});
  const Differentiated own = differentiate(gradient, input, weight, mean, inverse, rounding, {true, true, true});
  return same_bits(of_input, own.of_input) && same_bits(of_weight, own.of_weight) && same_bits(of_bias, own.of_bias);
}

/// As find_rounding(), for the backward pass.
std::optional<GradientRounding> find_gradient_rounding() {
  const at::AutoDispatchBelowAutograd no_autograd;
  for (int choice = 0; choice < 4; ++choice) {
    const GradientRounding rounding{(choice & 1) == 0, (choice & 2) == 0};
    if (agrees({5, 19, 7, 7}, rounding) && agrees({3, 16, 16, 8}, rounding) && agrees({2, 3, 3, 1}, rounding) && agrees({4, 9, 2, 2}, rounding)) return rounding;
  }
  return std::nullopt;
}

const std::optional<GradientRounding>& gradient_rounding_here() {
  static const std::optional<GradientRounding> rounding = find_gradient_rounding();
  return rounding;
}

bool is_plain(const at::Tensor& tensor) { return tensor.defined() && tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat && tensor.is_contiguous(); }

class TrainedNorm : public torch::autograd::Function<TrainedNorm> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const NormState& state) {
    NormState own = state;
    own.weight = weight;
    own.bias = bias;
    const Normed normed = normalise(input, own, *rounding_here());
    context->save_for_backward({input, weight, normed.mean, normed.inverse_deviation});
    context->saved_data["eps"] = state.eps;
    return normed.output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const std::array<bool, 3> wanted{context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)};
    // For another memory order (a mean's gradient is one expanded number) libtorch sums in another order.
    if (is_plain(gradients[0]) && gradient_rounding_here().has_value()) {
      const Differentiated own = differentiate(gradients[0], saved[0], saved[1], saved[2], saved[3], *gradient_rounding_here(), wanted);
      return {own.of_input, own.of_weight, own.of_bias, at::Tensor()};
    }
    const auto [of_input, of_weight, of_bias] =
        at::native_batch_norm_backward(gradients[0], saved[0], saved[1], {}, {}, saved[2], saved[3], /*train=*/true, context->saved_data["eps"].toDouble(), wanted);
    return {of_input, of_weight, of_bias, at::Tensor()};
  }
};


}  // namespace

bool can_train_norm(const at::Tensor& input, const NormState& state) {
  // For tensors that are also channels-last, libtorch sums in another order.
  return is_plain(input) && input.dim() == 4 && !input.is_contiguous(at::MemoryFormat::ChannelsLast) && input.numel() > 0 && is_plain(state.weight) && is_plain(state.bias) && is_plain(state.running_mean) &&
         is_plain(state.running_var) && rounding_here().has_value();
}

at::Tensor training_norm(const at::Tensor& input, const NormState& state) { return TrainedNorm::apply(input, state.weight, state.bias, state); }

}  // namespace ringlab
