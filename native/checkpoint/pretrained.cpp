#include "checkpoint/pretrained.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "models/head.h"
#include "values/tensor_values.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

using Weights = std::map<std::string, at::Tensor>;

bool ends_in(const std::string& text, const std::string& end) { return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0; }

bool begins_with(const std::string& text, const std::string& begin) { return text.compare(0, begin.size(), begin) == 0; }

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

/// Renames of torchvision's _load_from_state_dict() and of its densenet's _load_state_dict().
std::string modern_name(std::string name) {
  replace_all(name, "features.module.", "features.");  // DataParallel over the convolutions only
  if (name.find("denselayer") != std::string::npos) {
    for (const char* part : {"norm.1", "norm.2", "conv.1", "conv.2"}) {
      std::string joined = part;
      joined.erase(4, 1);
      replace_all(name, std::string(".") + part + ".", "." + joined + ".");
    }
  }
  replace_all(name, ".mlp.linear_1.", ".mlp.0.");
  replace_all(name, ".mlp.linear_2.", ".mlp.3.");
  return name;
}

Weights named_tensors(const Value& state_dict) {
  std::vector<std::pair<std::string, const Value*>> tensors;
  for (const auto& [key, value] : state_dict.entries()) {
    if (value.kind() == Value::Kind::tensor && key.as_text() != "n_averaged") tensors.emplace_back(key.as_text(), &value);
  }
  for (bool stripped = true; stripped && !tensors.empty();) {
    stripped = false;
    for (const std::string prefix : {"module.", "_orig_mod.", "model."}) {
      if (!std::all_of(tensors.begin(), tensors.end(), [&](const auto& item) { return begins_with(item.first, prefix); })) continue;
      for (auto& item : tensors) item.first.erase(0, prefix.size());
      stripped = true;
    }
  }
  Weights weights;
  for (const auto& [name, value] : tensors) weights[modern_name(name)] = tensor_of(*value);
  return weights;
}

/// Left in each module by thop, a profiler.
bool is_count_of_operations(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last == "total_ops" || last == "total_params";
}

/// Since torch 0.4.1 batch norms count their batches.
bool may_be_missing(const std::string& name) { return ends_in(name, ".num_batches_tracked"); }

bool is_auxiliary(const std::string& name) { return begins_with(name, "aux1.") || begins_with(name, "aux2.") || begins_with(name, "AuxLogits."); }

std::string size_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

bool same_but(size_t dimension, const at::Tensor& a, const at::Tensor& b) {
  if (a.dim() != b.dim()) return false;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (d != static_cast<int64_t>(dimension) && a.size(d) != b.size(d)) return false;
  }
  return true;
}

/// torchvision.models.vision_transformer.interpolate_embeddings: (1, 1 + n * n, width) to (1, 1 + m * m, width); undefined if
/// either is not a square of patches.
at::Tensor interpolated(const at::Tensor& positions, int64_t length) {
  const auto side_of = [](int64_t patches) {
    const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(patches))));
    return side > 0 && side * side == patches ? side : 0;
  };
  const int64_t there = side_of(positions.size(1) - 1);
  const int64_t here = side_of(length - 1);
  if (there == 0 || here == 0) return {};
  const int64_t width = positions.size(2);
  const at::Tensor patches = positions.slice(1, 1).to(at::kFloat).permute({0, 2, 1}).reshape({1, width, there, there});
  const at::Tensor resized = at::upsample_bicubic2d(patches, {here, here}, /*align_corners=*/true).reshape({1, width, here * here}).permute({0, 2, 1});
  return at::cat({positions.slice(1, 0, 1).to(at::kFloat), resized}, 1);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr size_t kMaximum = 5;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMaximum; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaximum ? text + " and " + std::to_string(names.size() - kMaximum) + " more" : text;
}

/// A model that was an attribute of another module, as in a LightningModule (`net.conv1.weight`): its weights under their own
/// names; other entries are ignored. Unchanged if they already are the model's names, or no attribute has all of them.
Weights without_owner(Weights weights, const std::vector<std::pair<std::string, at::Tensor>>& model, const std::vector<std::string>& heads, Adopted& adopted) {
  std::vector<std::string> wanted;
  for (const auto& [name, tensor] : model) {
    if (!lies_in(name, heads) && !is_auxiliary(name) && !may_be_missing(name)) wanted.push_back(name);
  }
  if (wanted.empty() || weights.count(wanted.front()) != 0) return weights;
  std::vector<std::string> owners;
  for (const auto& [name, tensor] : weights) {
    if (!ends_in(name, "." + wanted.front())) continue;
    const std::string owner = name.substr(0, name.size() - wanted.front().size());
    if (std::all_of(wanted.begin(), wanted.end(), [&](const std::string& own) { return weights.count(owner + own) != 0; })) owners.push_back(owner);
  }
  if (owners.empty()) return weights;
  if (owners.size() > 1) throw std::runtime_error("it holds the model several times, under " + some_of(owners) + "; save the weights of one of them alone");
  Weights own;
  std::vector<std::string> others;
  for (const auto& [name, tensor] : weights) {
    if (begins_with(name, owners.front())) own[name.substr(owners.front().size())] = tensor;
    else if (!is_count_of_operations(name)) others.push_back(name);
  }
  adopted.adapted.push_back("the names begin with " + owners.front() + (others.empty() ? "" : "; ignored: " + some_of(others)));
  return own;
}

bool holds_tensors(const Value& value) {
  return value.is_dict() && std::any_of(value.entries().begin(), value.entries().end(), [](const auto& item) { return item.second.kind() == Value::Kind::tensor; });
}

bool is_module(const Value& value) { return value.find("_parameters") != nullptr && value.find("_modules") != nullptr; }

/// Characters of all names in one file: vit_h_14's have 20,000. Modules that share parts can produce more names than fit into memory.
constexpr size_t kMaxNameCharacters = size_t{1} << 22;

/// The state_dict of a module with these attributes. `characters` is the remaining limit of names.
void add_module(const Value& module, const std::string& prefix, size_t& characters, Value& state_dict) {
  const auto named = [&](const Value& name) {
    std::string full = prefix + name.as_text();
    if (full.size() >= characters) throw std::runtime_error("has modules with more names than those of any model");
    characters -= full.size() + 1;
    return full;
  };
  for (const char* kind : {"_parameters", "_buffers"}) {
    const Value* own = module.find(kind);
    if (own == nullptr || !own->is_dict()) continue;
    for (const auto& [name, value] : own->entries()) {
      if (value.kind() == Value::Kind::tensor) state_dict.set(named(name), value);
    }
  }
  const Value* inner = module.find("_modules");
  if (inner == nullptr || !inner->is_dict()) return;
  for (const auto& [name, value] : inner->entries()) add_module(value, named(name) + ".", characters, state_dict);
}

/// A state_dict unchanged, or that of a whole module; nothing if it is neither.
std::optional<Value> weights_in(const Value& value, size_t& characters) {
  if (holds_tensors(value)) return value;
  if (!is_module(value)) return std::nullopt;
  Value state_dict = Value::ordered_dict();
  add_module(value, "", characters, state_dict);
  return state_dict;
}

}  // namespace

PretrainedFile load_weights(const std::string& path) {
  const Value value = read_value(path, Foreign::ignored);
  if (!value.is_dict()) throw_mismatch(path, "holds no state_dict");
  const Value* input = value.find("input");
  const Value* transform_input = input != nullptr && input->is_dict() ? input->find("transform_input") : nullptr;
  const bool transforms = transform_input != nullptr && transform_input->kind() == Value::Kind::boolean && transform_input->as_integer() != 0;
  size_t characters = kMaxNameCharacters;
  const auto taken_from = [&](const Value& part) {
    try {
      return weights_in(part, characters);
    } catch (const std::runtime_error& error) {
      throw_mismatch(path, error.what());
    }
  };
  for (const char* name : {"state_dict", "model_state_dict", "model", "model_state", "net", "model_ema"}) {
    const Value* inner = value.find(name);
    const auto weights = inner == nullptr ? std::nullopt : taken_from(*inner);
    if (weights) return {path, *weights, false, transforms};
  }
  if (const auto weights = taken_from(value)) return {path, *weights, holds_tensors(value), false};
  // Under another key; if there are several, the user must choose.
  std::vector<std::string> names;
  std::optional<Value> found;
  for (const auto& [name, inner] : value.entries()) {
    const auto weights = taken_from(inner);
    if (!weights) continue;
    names.push_back(name.kind() == Value::Kind::text ? name.as_text() : "?");
    found = weights;
  }
  if (names.empty()) throw_mismatch(path, "holds no state_dict");
  if (names.size() > 1) throw_mismatch(path, "holds several state_dicts, " + some_of(names) + "; save the one that is wanted: torch.save(checkpoint['" + names.front() + "'], FILE)");
  return {path, *found, false, transforms};
}

bool has_auxiliary_heads(const Value& state_dict) {
  for (const auto& [key, value] : state_dict.entries()) {
    const std::string name = "." + key.as_text();
    for (const char* head : {".aux1.", ".aux2.", ".AuxLogits."}) {
      if (name.find(head) != std::string::npos) return true;
    }
  }
  return false;
}

Adopted load_pretrained(const Value& weights, const std::vector<std::pair<std::string, at::Tensor>>& model, const std::vector<std::string>& heads) {
  Adopted adopted;
  Weights found = without_owner(named_tensors(weights), model, heads, adopted);
  std::vector<std::string> missing;
  std::vector<std::string> headless;
  std::vector<std::string> wrong;
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // into, from
  bool first_convolution = true;
  for (const auto& [name, tensor] : model) {
    const bool first = first_convolution && tensor.dim() == 4;
    if (tensor.dim() == 4) first_convolution = false;
    const auto entry = found.find(name);
    if (entry == found.end()) {
      if (is_auxiliary(name)) adopted.fresh.push_back(name);
      else if (lies_in(name, heads)) headless.push_back(name);
      else if (!may_be_missing(name)) missing.push_back(name);
      continue;
    }
    const at::Tensor source = entry->second;
    found.erase(entry);
    if (source.sizes() == tensor.sizes()) {
      copies.emplace_back(tensor, source);
    } else if (lies_in(name, heads) && same_but(0, source, tensor)) {
      adopted.fresh.push_back(name);
      adopted.classes = source.size(0);
    } else if (first && same_but(1, source, tensor) && source.size(1) == 3 && tensor.size(1) == 1) {
      copies.emplace_back(tensor, source.to(at::kFloat).sum(1, /*keepdim=*/true));
      adopted.adapted.push_back(name + ": the sum of its kernels for three colours");
    } else if (first && same_but(1, source, tensor) && source.size(1) == 1 && tensor.size(1) == 3) {
      copies.emplace_back(tensor, source.to(at::kFloat).expand_as(tensor) / 3);
      adopted.adapted.push_back(name + ": its kernel for grey images, a third for each colour");
    } else {
      const bool positions = name == "encoder.pos_embedding" && same_but(1, source, tensor);
      const at::Tensor resized = positions ? interpolated(source, tensor.size(1)) : at::Tensor();
      if (resized.defined()) {
        copies.emplace_back(tensor, resized);
        adopted.adapted.push_back(name + ": interpolated from " + std::to_string(source.size(1) - 1) + " patches to " + std::to_string(tensor.size(1) - 1));
      } else {
        wrong.push_back(name + " has the shape " + size_text(source) + ", the model wants " + size_text(tensor));
      }
    }
  }
  // Only a backbone, as often published: the whole head is new. A head with missing parts is an error.
  const bool whole_head = std::all_of(model.begin(), model.end(), [&](const auto& item) { return !lies_in(item.first, heads) || is_auxiliary(item.first) || std::count(headless.begin(), headless.end(), item.first) > 0; });
  auto& absent = whole_head ? adopted.fresh : missing;
  absent.insert(absent.end(), headless.begin(), headless.end());
  std::vector<std::string> unknown;
  for (const auto& [name, tensor] : found) {
    if (!is_auxiliary(name) && !is_count_of_operations(name)) unknown.push_back(name);
  }
  std::string complaint;
  const auto add = [&complaint](const std::string& what, const std::vector<std::string>& names, const std::string& after) {
    if (!names.empty()) complaint += (complaint.empty() ? "" : "; ") + what + some_of(names) + after;
  };
  add("it lacks ", missing, "");
  add("it holds ", unknown, ", which the model does not have");
  add("", wrong, "");
  if (!complaint.empty()) throw std::runtime_error(complaint);
  const c10::AutoGradMode no_grad(false);
  for (auto& [into, from] : copies) into.copy_(from);
  return adopted;
}

}  // namespace ringlab
