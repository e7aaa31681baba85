// The files of weights published by torchvision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringlab {

/// torchvision's download address.
constexpr const char* kPublishedWeightsUrl = "https://download.pytorch.org/models/";

/// The name of the file that torchvision's `pretrained=True` (its first ImageNet weights) loads: "resnet18-f37072fd.pth". Empty
/// for an unknown architecture.
std::string published_weights_file(std::string_view architecture);

/// Is it that file, or an earlier one of the architecture? Recognised by its name, or by its content: the digits in the name are
/// the start of its SHA-256. False if it cannot be read.
bool is_published_weights(std::string_view architecture, const std::string& path);

/// Does the SHA-256 of the file begin with the digits between the last '-' and the extension of one of these names, as in
/// torch.hub's `check_hash`? False if it cannot be read.
bool has_hash_of(const std::string& path, const std::vector<std::string_view>& names);

}  // namespace ringlab
