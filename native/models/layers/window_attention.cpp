#include "models/layers/window_attention.h"

#include <ATen/Functions.h>
#include <ATen/TensorIndexing.h>

namespace ringlab {

at::Tensor relative_position_index(int64_t side) {
  const at::Tensor places = at::arange(side, at::kLong);
  const at::Tensor down = places.unsqueeze(1).expand({side, side}).reshape({-1});
  const at::Tensor across = places.unsqueeze(0).expand({side, side}).reshape({-1});
  const auto apart = [side](const at::Tensor& place) { return place.unsqueeze(1) - place.unsqueeze(0) + (side - 1); };
  return apart(down) * (2 * side - 1) + apart(across);
}

at::Tensor relative_position_bias(const at::Tensor& table, const at::Tensor& index, int64_t side) {
  const int64_t length = side * side;
  return at::index(table, {index.view(-1)}).view({length, length, -1}).permute({2, 0, 1}).contiguous().unsqueeze(0);
}

}  // namespace ringlab
