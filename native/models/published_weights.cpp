#include "models/published_weights.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/sha256.h"

namespace ringlab {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"alexnet", "alexnet-owt-7be5be79.pth"},
    {"vgg11", "vgg11-8a719046.pth"},
    {"vgg11_bn", "vgg11_bn-6002323d.pth"},
    {"vgg13", "vgg13-19584684.pth"},
    {"vgg13_bn", "vgg13_bn-abd245e5.pth"},
    {"vgg16", "vgg16-397923af.pth"},
    {"vgg16_bn", "vgg16_bn-6c64b313.pth"},
    {"vgg19", "vgg19-dcbb9e9d.pth"},
    {"vgg19_bn", "vgg19_bn-c79401a0.pth"},
    {"resnet18", "resnet18-f37072fd.pth"},
    {"resnet34", "resnet34-b627a593.pth"},
    {"resnet50", "resnet50-0676ba61.pth"},
    {"resnet101", "resnet101-63fe2227.pth"},
    {"resnet152", "resnet152-394f9c45.pth"},
    {"resnext50_32x4d", "resnext50_32x4d-7cdf4587.pth"},
    {"resnext101_32x8d", "resnext101_32x8d-8ba56ff5.pth"},
    {"resnext101_64x4d", "resnext101_64x4d-173b62eb.pth"},
    {"wide_resnet50_2", "wide_resnet50_2-95faca4d.pth"},
    {"wide_resnet101_2", "wide_resnet101_2-32ee1156.pth"},
    {"densenet121", "densenet121-a639ec97.pth"},
    {"densenet161", "densenet161-8d451a50.pth"},
    {"densenet169", "densenet169-b2777c0a.pth"},
    {"densenet201", "densenet201-c1103571.pth"},
    {"googlenet", "googlenet-1378be20.pth"},
    {"inception_v3", "inception_v3_google-0cc3c7bd.pth"},
    {"shufflenet_v2_x0_5", "shufflenetv2_x0.5-f707e7126e.pth"},
    {"shufflenet_v2_x1_0", "shufflenetv2_x1-5666bf0f80.pth"},
    {"shufflenet_v2_x1_5", "shufflenetv2_x1_5-3c479a10.pth"},
    {"shufflenet_v2_x2_0", "shufflenetv2_x2_0-8be3c8ee.pth"},
    {"mobilenet_v2", "mobilenet_v2-b0353104.pth"},
    {"mobilenet_v3_small", "mobilenet_v3_small-047dcff4.pth"},
    {"mobilenet_v3_large", "mobilenet_v3_large-8738ca79.pth"},
    {"squeezenet1_0", "squeezenet1_0-b66bff10.pth"},
    {"squeezenet1_1", "squeezenet1_1-b8a52dc0.pth"},
    {"mnasnet0_5", "mnasnet0.5_top1_67.823-3ffadce67e.pth"},
    {"mnasnet0_75", "mnasnet0_75-7090bc5f.pth"},
    {"mnasnet1_0", "mnasnet1.0_top1_73.512-f206786ef8.pth"},
    {"mnasnet1_3", "mnasnet1_3-a4c69d6f.pth"},
    {"efficientnet_b0", "efficientnet_b0_rwightman-7f5810bc.pth"},
    {"efficientnet_b1", "efficientnet_b1_rwightman-bac287d4.pth"},
    {"efficientnet_b2", "efficientnet_b2_rwightman-c35c1473.pth"},
    {"efficientnet_b3", "efficientnet_b3_rwightman-b3899882.pth"},
    {"efficientnet_b4", "efficientnet_b4_rwightman-23ab8bcd.pth"},
    {"efficientnet_b5", "efficientnet_b5_lukemelas-1a07897c.pth"},
    {"efficientnet_b6", "efficientnet_b6_lukemelas-24a108a5.pth"},
    {"efficientnet_b7", "efficientnet_b7_lukemelas-c5b4e57e.pth"},
    {"efficientnet_v2_s", "efficientnet_v2_s-dd5fe13b.pth"},
    {"efficientnet_v2_m", "efficientnet_v2_m-dc08266a.pth"},
    {"efficientnet_v2_l", "efficientnet_v2_l-59c71312.pth"},
    {"convnext_tiny", "convnext_tiny-983f1562.pth"},
    {"convnext_small", "convnext_small-0c510722.pth"},
    {"convnext_base", "convnext_base-6075fbad.pth"},
    {"convnext_large", "convnext_large-ea097f82.pth"},
    {"regnet_y_400mf", "regnet_y_400mf-c65dace8.pth"},
    {"regnet_y_800mf", "regnet_y_800mf-1b27b58c.pth"},
    {"regnet_y_1_6gf", "regnet_y_1_6gf-b11a554e.pth"},
    {"regnet_y_3_2gf", "regnet_y_3_2gf-b5a9779c.pth"},
    {"regnet_y_8gf", "regnet_y_8gf-d0d0e4a8.pth"},
    {"regnet_y_16gf", "regnet_y_16gf-9e6ed7dd.pth"},
    {"regnet_y_32gf", "regnet_y_32gf-4dee3f7a.pth"},
    {"regnet_y_128gf", "regnet_y_128gf_swag-c8ce3e52.pth"},
    {"regnet_x_400mf", "regnet_x_400mf-adf1edd5.pth"},
    {"regnet_x_800mf", "regnet_x_800mf-ad17e45c.pth"},
    {"regnet_x_1_6gf", "regnet_x_1_6gf-e3633e7f.pth"},
    {"regnet_x_3_2gf", "regnet_x_3_2gf-f342aeae.pth"},
    {"regnet_x_8gf", "regnet_x_8gf-03ceed89.pth"},
    {"regnet_x_16gf", "regnet_x_16gf-2007eb11.pth"},
    {"regnet_x_32gf", "regnet_x_32gf-9d47f8d0.pth"},
    {"vit_b_16", "vit_b_16-c867db91.pth"},
    {"vit_b_32", "vit_b_32-d86f8d99.pth"},
    {"vit_l_16", "vit_l_16-852ce7e3.pth"},
    {"vit_l_32", "vit_l_32-c7638314.pth"},
    {"vit_h_14", "vit_h_14_swag-80465313.pth"},
    {"swin_t", "swin_t-704ceda3.pth"},
    {"swin_s", "swin_s-5e29d889.pth"},
    {"swin_b", "swin_b-68c6b09e.pth"},
    {"swin_v2_t", "swin_v2_t-b137f0e2.pth"},
    {"swin_v2_s", "swin_v2_s-637d8ceb.pth"},
    {"swin_v2_b", "swin_v2_b-781e5279.pth"},
    {"maxvit_t", "maxvit_t-bc5ab103.pth"},
};

/// Earlier files by torchvision.
constexpr std::pair<std::string_view, std::string_view> kEarlierFiles[] = {{"inception_v3", "inception_v3_google-1a9a5a14.pth"}};

/// The digits between the last '-' and ".pth".
std::string_view digits_in(std::string_view file) {
  const size_t dash = file.rfind('-');
  return file.substr(dash + 1, file.rfind('.') - dash - 1);
}

/// Of the whole file; empty if it cannot be read.
std::string sha256_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return {};
  Sha256 hash;
  std::vector<char> piece(size_t{1} << 20);
  while (const size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) hash.update(piece.data(), count);
  return hexadecimal(view_of(hash.finish()));
}

}  // namespace

bool is_published_weights(std::string_view architecture, const std::string& path) {
  std::vector<std::string_view> files;
  for (const auto& [name, file] : kFiles) {
    if (name == architecture) files.push_back(file);
  }
  for (const auto& [name, file] : kEarlierFiles) {
    if (name == architecture) files.push_back(file);
  }
  for (const auto& file : files) {
    if (std::string_view(path).substr(path.rfind('/') + 1) == file) return true;
  }
  return has_hash_of(path, files);
}

bool has_hash_of(const std::string& path, const std::vector<std::string_view>& names) {
  const std::string hash = names.empty() ? std::string() : sha256_of(path);
  return !hash.empty() && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    const std::string_view digits = digits_in(name);
    return !digits.empty() && hash.compare(0, digits.size(), digits) == 0;
  });
}

std::string published_weights_file(std::string_view architecture) {
  for (const auto& [name, file] : kFiles) {
    if (name == architecture) return std::string(file);
  }
  return {};
}

}  // namespace ringlab
