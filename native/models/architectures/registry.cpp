#include "models/architectures/registry.h"

#include "base/error.h"
#include "base/suggest.h"
#include "models/architectures/catalog.h"
#include "models/architectures/families.h"

namespace ringlab {
namespace {

const std::vector<Architecture>& registry() {
  static const std::vector<Architecture> table = [] {
    std::vector<Architecture> all;
    for (const auto& family : {
             alexnet_architectures,
             vgg_architectures,
             resnet_architectures,
             densenet_architectures,
             googlenet_architectures,
             inception_v3_architectures,
             shufflenet_v2_architectures,
             mobilenet_v2_architectures,
             mobilenet_v3_architectures,
             squeezenet_architectures,
             mnasnet_architectures,
             efficientnet_architectures,
             convnext_architectures,
             regnet_architectures,
             vision_transformer_architectures,
             swin_transformer_architectures,
             maxvit_architectures,
         }) {
      for (auto& architecture : family()) all.push_back(std::move(architecture));
    }
    return all;
  }();
  return table;
}

const Architecture& find_architecture(const std::string& name) {
  for (const auto& architecture : registry()) {
    if (architecture.name == name) return architecture;
  }
  throw Failure(ErrorCode::usage, "--arch " + name + ": " + unknown_architecture(name, architecture_names()));
}

void collect(const torch::nn::Module& module, const std::string& prefix, std::vector<std::pair<std::string, torch::Tensor>>& out) {
  for (const auto& item : module.named_parameters(/*recurse=*/false)) out.emplace_back(prefix + item.key(), item.value());
  for (const auto& item : module.named_buffers(/*recurse=*/false)) out.emplace_back(prefix + item.key(), item.value());
  for (const auto& item : module.named_children()) collect(*item.value(), prefix + item.key() + ".", out);
}

}  // namespace

std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const auto& architecture : registry()) names.push_back(architecture.name);
  return names;
}

void check_image_size(const std::string& name, int64_t size) {
  const ImageSizes& sizes = find_architecture(name).sizes;
  if (size >= sizes.minimum && size % sizes.multiple == 0) return;
  const std::string said = "--image-size " + std::to_string(size) + ": " + name;
  if (size < sizes.minimum) throw Failure(ErrorCode::usage, said + " needs at least " + std::to_string(sizes.minimum) + " pixels a side");
  const int64_t below = size / sizes.multiple * sizes.multiple;
  throw Failure(ErrorCode::usage, said + " cuts images into squares of " + std::to_string(sizes.multiple) + " pixels; nearest valid: " +
                                      std::to_string(below) + ", " + std::to_string(below + sizes.multiple));
}

std::shared_ptr<Classifier> make_model(const std::string& name, const ModelSettings& settings) {
  check_image_size(name, settings.image_size);
  return find_architecture(name).make(settings);
}

std::vector<std::pair<std::string, torch::Tensor>> state_dict(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, torch::Tensor>> out;
  collect(module, "", out);
  return out;
}

}  // namespace ringlab
