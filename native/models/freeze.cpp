#include "models/freeze.h"

#include "base/error.h"
#include "base/suggest.h"
#include "models/head.h"
#include "models/layers/batch_norm.h"

namespace ringlab {
namespace {

/// All names valid for --freeze: parameters and the modules that contain them.
std::vector<std::string> names_in(const Classifier& model) {
  std::vector<std::string> names{"backbone"};
  for (const auto& item : model.named_parameters()) {
    const std::string& name = item.key();
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      if (names.back() != name.substr(0, dot)) names.push_back(name.substr(0, dot));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

void freeze(Classifier& model, const std::vector<std::string>& names) {
  const auto parameters = model.named_parameters();
  const std::string head = head_layers(model).back();
  for (const auto& name : names) {
    bool found = false;
    for (const auto& item : parameters) {
      if (name == "backbone" ? lies_in(item.key(), head) : !lies_in(item.key(), name)) continue;
      item.value().set_requires_grad(false);
      found = true;
    }
    if (!found) throw Failure(ErrorCode::usage, "--freeze " + name + ": no such parameter or module; nearest valid: " + join(nearest(name, names_in(model), 3)));
  }
  for (const auto& item : parameters) {
    if (item.value().requires_grad()) return;
  }
  throw Failure(ErrorCode::usage, "--freeze: no parameter would be trained; leave out at least one of " + join(names));
}

int64_t hold_frozen_batch_norms(torch::nn::Module& model) {
  int64_t count = 0;
  for (const auto& module : model.modules()) {
    auto* norm = module->as<BatchNorm2dImpl>();
    if (norm == nullptr || norm->weight.requires_grad()) continue;
    norm->hold();
    ++count;
  }
  return count;
}

}  // namespace ringlab
