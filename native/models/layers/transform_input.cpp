#include "models/layers/transform_input.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace ringlab {
namespace {

/// As in torchvision's code: doubles, unlike data/transforms.h's floats.
constexpr std::pair<double, double> kColours[] = {{0.485, 0.229}, {0.456, 0.224}, {0.406, 0.225}};
constexpr std::pair<double, double> kGrey = {0.449, 0.226};

}  // namespace

at::Tensor transform_input(const at::Tensor& images) {
  std::vector<at::Tensor> channels;
  for (int64_t c = 0; c < images.size(1); ++c) {
    const auto& [mean, deviation] = images.size(1) == 3 ? kColours[c] : kGrey;
    channels.push_back(images.select(1, c).unsqueeze(1) * (deviation / 0.5) + (mean - 0.5) / 0.5);
  }
  return at::cat(channels, 1);
}

}  // namespace ringlab
