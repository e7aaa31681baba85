#include "models/registry.h"

#include "models/catalog.h"
#include "models/families.h"
#include "src/error.h"
#include "src/suggest.h"

namespace ringlab {
namespace {

const std::vector<Architecture>& registry() {
  static const std::vector<Architecture> table = [] {
    std::vector<Architecture> all;
    for (const auto& family : {
             resnet_architectures,
             shufflenet_v2_architectures,
             mobilenet_v2_architectures,
             mobilenet_v3_architectures,
             efficientnet_architectures,
             convnext_architectures,
             regnet_architectures,
             vision_transformer_architectures,
         }) {
      for (auto& architecture : family()) all.push_back(std::move(architecture));
    }
    return all;
  }();
  return table;
}

void collect(const torch::nn::Module& module, const std::string& prefix, std::vector<std::pair<std::string, torch::Tensor>>& out) {
  for (const auto& item : module.named_parameters(/*recurse=*/false)) out.emplace_back(prefix + item.key(), item.value());
  for (const auto& item : module.named_buffers(/*recurse=*/false)) out.emplace_back(prefix + item.key(), item.value());
  for (const auto& item : module.named_children()) collect(*item.value(), prefix + item.key() + ".", out);
}

}  // namespace

std::vector<std::string> architecture_names() {
  std::vector<std::string> names;
  for (const auto& architecture : registry()) names.push_back(architecture.name);
  return names;
}

std::shared_ptr<Classifier> make_model(const std::string& name, const ModelSettings& settings) {
  for (const auto& architecture : registry()) {
    if (architecture.name == name) return architecture.make(settings);
  }
  throw Failure(ErrorCode::usage, "--arch " + name + ": unknown; nearest valid: " + join(nearest(name, architecture_names(), 3)));
}

std::vector<std::pair<std::string, torch::Tensor>> state_dict(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, torch::Tensor>> out;
  collect(module, "", out);
  return out;
}

}  // namespace ringlab
