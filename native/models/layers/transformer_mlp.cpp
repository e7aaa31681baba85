#include "models/layers/transformer_mlp.h"

#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>

namespace ringlab {

TransformerMlp::TransformerMlp(int64_t width, int64_t hidden)
    : widen_(register_module("0", torch::nn::Linear(width, hidden))), narrow_(register_module("3", torch::nn::Linear(hidden, width))) {
  for (auto* linear : {&widen_, &narrow_}) {
    torch::nn::init::xavier_uniform_((*linear)->weight);
    torch::nn::init::normal_((*linear)->bias, 0, 1e-6);
  }
}

torch::Tensor TransformerMlp::forward(const torch::Tensor& x) { return narrow_(torch::gelu(widen_(x))); }

}  // namespace ringlab
