#include "models/layers/inception_conv.h"

namespace ringlab {

namespace nn = torch::nn;

InceptionConv::InceptionConv(int64_t in, int64_t out, const InceptionConvOptions& options)
    : conv_(register_module("conv", nn::Conv2d(nn::Conv2dOptions(in, out, {options.kernel.first, options.kernel.second})
                                                   .stride(options.stride)
                                                   .padding({options.padding.first, options.padding.second})
                                                   .bias(false)))),
      bn_(register_module("bn", BatchNorm2d(nn::BatchNorm2dOptions(out).eps(0.001)))) {}

torch::Tensor InceptionConv::forward(torch::Tensor x) { return bn_(conv_(x)).relu_(); }

InceptionConvOptions square(int64_t kernel, int64_t stride, int64_t padding) { return {{kernel, kernel}, stride, {padding, padding}}; }

}  // namespace ringlab
