// Declares each family's function for the registry.
#pragma once

#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

std::vector<Architecture> alexnet_architectures();
std::vector<Architecture> convnext_architectures();
std::vector<Architecture> densenet_architectures();
std::vector<Architecture> efficientnet_architectures();
std::vector<Architecture> googlenet_architectures();
std::vector<Architecture> inception_v3_architectures();
std::vector<Architecture> maxvit_architectures();
std::vector<Architecture> mnasnet_architectures();
std::vector<Architecture> mobilenet_v2_architectures();
std::vector<Architecture> mobilenet_v3_architectures();
std::vector<Architecture> regnet_architectures();
std::vector<Architecture> resnet_architectures();
std::vector<Architecture> shufflenet_v2_architectures();
std::vector<Architecture> squeezenet_architectures();
std::vector<Architecture> swin_transformer_architectures();
std::vector<Architecture> vgg_architectures();
std::vector<Architecture> vision_transformer_architectures();

}  // namespace ringlab
