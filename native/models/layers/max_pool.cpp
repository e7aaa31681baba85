#include "models/layers/max_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace ringlab {
namespace {

struct Plane {
  int64_t height;
  int64_t width;
};

/// The best of one row's windows so far: a value and its index in the plane.
struct Best {
  std::vector<float> values;
  std::vector<int64_t> places;
};

/// Compares the row `from`, whose first pixel has index `place` in its plane, at column `column` of each window.
void compare_column(const float* from, int64_t place, int64_t column, const Plane& in, const Plane& out, const PoolWindow& window, Best& best) {
  // Windows that have this column inside the image.
  const int64_t shift = column - window.padding;
  const int64_t begin = shift >= 0 ? 0 : (-shift + window.stride - 1) / window.stride;
  const int64_t end = in.width - 1 < shift ? 0 : std::min(out.width, (in.width - 1 - shift) / window.stride + 1);
  float* values = best.values.data();
  int64_t* places = best.places.data();
  for (int64_t x = begin; x < end; ++x) {
    const int64_t at = x * window.stride + shift;
    const float value = from[at];
    // Branch-free: the comparison is unpredictable.
    const bool greater = (value > values[x]) | (value != value);
    values[x] = greater ? value : values[x];
    places[x] = greater ? place + at : places[x];
  }
}

void pool_plane(const float* from, float* to, int64_t* places, const Plane& in, const Plane& out, const PoolWindow& window, Best& best) {
  for (int64_t y = 0; y < out.height; ++y) {
    const int64_t top = y * window.stride - window.padding;
    const int64_t first = std::max<int64_t>(0, top);
    const int64_t last = std::min(in.height, top + window.kernel);
    for (int64_t x = 0; x < out.width; ++x) {
      best.values[static_cast<size_t>(x)] = -std::numeric_limits<float>::infinity();
      best.places[static_cast<size_t>(x)] = first * in.width + std::max<int64_t>(0, x * window.stride - window.padding);
    }
    for (int64_t row = first; row < last; ++row) {
      for (int64_t column = 0; column < window.kernel; ++column) compare_column(from + row * in.width, row * in.width, column, in, out, window, best);
    }
    std::copy_n(best.values.data(), out.width, to + y * out.width);
    std::copy_n(best.places.data(), out.width, places + y * out.width);
  }
}

class Pooled : public torch::autograd::Function<Pooled> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, const PoolWindow& window) {
    const Plane in{input.size(2), input.size(3)};
    const Plane out{(in.height + 2 * window.padding - window.kernel) / window.stride + 1, (in.width + 2 * window.padding - window.kernel) / window.stride + 1};
    const int64_t planes = input.size(0) * input.size(1);
    const at::Tensor output = at::empty({input.size(0), input.size(1), out.height, out.width}, input.options());
    const at::Tensor places = at::empty(output.sizes(), input.options().dtype(at::kLong));
    const auto* from = input.data_ptr<float>();
    auto* to = output.data_ptr<float>();
    auto* place = places.data_ptr<int64_t>();
    at::parallel_for(0, planes, 1, [&](int64_t begin, int64_t end) {
      Best best{std::vector<float>(static_cast<size_t>(out.width)), std::vector<int64_t>(static_cast<size_t>(out.width))};
      for (int64_t i = begin; i < end; ++i) {
        const int64_t offset = i * out.height * out.width;
        pool_plane(from + i * in.height * in.width, to + offset, place + offset, in, out, window, best);
      }
    });
    context->save_for_backward({input, places});
    context->saved_data["window"] = std::vector<int64_t>{window.kernel, window.stride, window.padding};
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto window = context->saved_data["window"].toIntVector();
    const auto both = [](int64_t value) { return std::vector<int64_t>{value, value}; };
    return {at::max_pool2d_with_indices_backward(gradients[0], saved[0], both(window[0]), both(window[1]), both(window[2]), both(1), /*ceil_mode=*/false, saved[1]), at::Tensor()};
  }
};

}  // namespace

at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window) {
  const int64_t minimum = window.kernel - 2 * window.padding;
  const bool ours = input.device().is_cpu() && input.scalar_type() == at::kFloat && input.dim() == 4 && input.is_contiguous() && input.numel() > 0 && input.size(2) >= minimum &&
                    input.size(3) >= minimum && 2 * window.padding <= window.kernel;
  if (!ours) return at::max_pool2d(input, window.kernel, window.stride, window.padding);
  return Pooled::apply(input, window);
}

}  // namespace ringlab
