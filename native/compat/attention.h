// softmax(q k^T / sqrt(d)) v: since libtorch 2.0 one fused operation, before that its four parts.
#pragma once

#include <ATen/Functions.h>
#include <torch/version.h>

#include <cmath>

namespace ringlab::compat {

/// q, k, v and the result: (N, heads, length, d).
inline at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  const at::Tensor weights = at::matmul(q / std::sqrt(static_cast<double>(q.size(-1))), k.transpose(-2, -1));
  return at::matmul(at::softmax(weights, -1), v);
#endif
}

}  // namespace ringlab::compat
