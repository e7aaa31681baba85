// The files in which torchvision publishes its weights.
#pragma once

#include <string>
#include <string_view>

namespace ringlab {

/// Where torchvision downloads them from.
constexpr const char* kPublishedWeightsUrl = "https://download.pytorch.org/models/";

/// The name of the file that torchvision's `pretrained=True` (its first ImageNet weights) stands for: "resnet18-f37072fd.pth". Empty
/// for an unknown architecture.
std::string published_weights_file(std::string_view architecture);

}  // namespace ringlab
