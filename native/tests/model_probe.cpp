// model_probe --list                                      prints the architectures, one a line
// model_probe ARCH IMAGE_SIZE IMAGES SEED OURS [THEIRS]   writes OURS, what e2e_models.py compares with torchvision's model
//
// model_probe --large ARCH IMAGE_SIZE SEED OURS           the same of a model too large to be written: hashes and samples
// model_probe --pretrained ARCH IMAGE_SIZE CLASSES CHANNELS SEED FILE OURS
//   a model from SEED that takes the weights in FILE: its `state_dict`, and what was `fresh`, `adapted`, and of how many `classes`
// model_probe --requests
//   the same for many: each line of standard input has one's arguments, separated by tabs; each is answered with a line, `done` or
//   the error. Loading libtorch takes longer than most of them.
//
// OURS holds a model made from SEED (`state_dict`, the names of its `parameters` in their order) and, from draws of the same
// generator after it, what it does with IMAGES images: `train` (the logits in training), `gradients` of the mean loss with
// the labels 0, 1, 2 and so on. THEIRS is a file of Python's: our model loads its `state_dict` and evaluates its `images`: `eval`.
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "checkpoint/pretrained.h"
#include "checkpoint/state_dict_versions.h"
#include "models/architectures/registry.h"
#include "models/head.h"
#include "models/loss.h"
#include "values/tensor_values.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

Value named(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  Items items;
  for (const auto& [name, tensor] : tensors) items.emplace_back(Value::text(name), value_of(tensor.detach().contiguous()));
  return Value::ordered_dict(std::move(items));
}

void probe(const std::string& arch, int64_t size, int64_t count, uint64_t seed, const std::string& ours, const char* theirs) {
  at::set_num_threads(1);
  ModelSettings settings;
  settings.classes = 10;
  settings.image_size = size;
  torch::manual_seed(seed);
  const auto model = make_model(arch, settings);
  std::vector<std::pair<std::string, torch::Tensor>> fresh;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state_dict(*model)) {
    fresh.emplace_back(name, tensor.detach().clone());
    names.push_back(name);
  }
  List parameters;
  for (const auto& item : model->named_parameters()) parameters.push_back(Value::text(item.key()));

  const auto images = torch::randn({count, settings.input_channels, size, size});
  model->train();
  const Outputs outputs = model->outputs(images);
  const torch::Tensor& logits = outputs.logits;
  losses_of(*model, outputs, torch::arange(count)).objective.backward();
  std::vector<std::pair<std::string, torch::Tensor>> gradients;
  for (const auto& item : model->named_parameters()) gradients.emplace_back(item.key(), item.value().grad());

  Value out = Value::dict();
  out.set("state_dict", named(fresh).set_metadata(state_dict_versions(arch, names, false))).set("parameters", Value::list(std::move(parameters))).set("train", value_of(logits.detach())).set("gradients", named(gradients));
  if (theirs != nullptr) {
    const Value file = read_value(theirs);
    load_state_dict(*file.find("state_dict"), state_dict(*model));
    model->eval();
    const torch::NoGradGuard no_grad;
    out.set("eval", value_of(model->forward(tensor_of(*file.find("images")))));
  }
  write_value(ours, out);
}

std::string hash_of(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().contiguous();
  Sha256 hash;
  hash.update(plain.data_ptr(), plain.nbytes());
  return hexadecimal(hash.finish());
}

/// About 64 of a tensor's elements, as doubles.
torch::Tensor samples(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().flatten();
  return flat.slice(0, 0, c10::nullopt, std::max<int64_t>(1, flat.numel() / 64)).to(torch::kDouble).contiguous();
}

/// e2e_models.py, check_large(): the same draws in the same order.
void probe_large(const std::string& arch, int64_t size, uint64_t seed, const std::string& ours) {
  at::set_num_threads(2);
  ModelSettings settings;
  settings.classes = 10;
  settings.image_size = size;
  torch::manual_seed(seed);
  const auto model = make_model(arch, settings);
  Value hashes = Value::dict();
  {
    const torch::NoGradGuard no_grad;
    for (auto [name, tensor] : state_dict(*model)) {
      hashes.set(name, Value::text(hash_of(tensor)));
      if (tensor.is_floating_point()) tensor.add_(torch::randn(tensor.sizes()) * 0.02);
    }
  }
  const auto images = torch::randn({2, settings.input_channels, size, size});
  model->train();
  const Outputs outputs = model->outputs(images);
  losses_of(*model, outputs, torch::arange(2)).objective.backward();
  std::vector<std::pair<std::string, torch::Tensor>> gradients;
  for (const auto& item : model->named_parameters()) gradients.emplace_back(item.key(), samples(item.value().grad()));
  model->eval();
  const torch::NoGradGuard no_grad;
  write_value(ours, Value::dict().set("hashes", hashes).set("train", value_of(outputs.logits.detach())).set("gradients", named(gradients)).set("eval", value_of(model->forward(images))));
}

void probe_pretrained(const std::string& arch, const ModelSettings& settings, uint64_t seed, const std::string& file, const std::string& ours) {
  torch::manual_seed(seed);
  const auto model = make_model(arch, settings);
  const Adopted adopted = load_pretrained(load_weights(file).weights, state_dict(*model), head_layers(*model));
  const auto texts = [](const std::vector<std::string>& words) {
    List list;
    for (const auto& word : words) list.push_back(Value::text(word));
    return Value::list(std::move(list));
  };
  write_value(ours, Value::dict().set("state_dict", named(state_dict(*model))).set("fresh", texts(adopted.fresh)).set("adapted", texts(adopted.adapted)).set("classes", Value::integer(adopted.classes)));
}

void one(const std::vector<std::string>& words) {
  if (words.size() == 5 && words[0] == "--large") return probe_large(words[1], std::stoll(words[2]), std::stoull(words[3]), words[4]);
  if (words.size() == 8 && words[0] == "--pretrained") {
    ModelSettings settings;
    settings.image_size = std::stoll(words[2]);
    settings.classes = std::stoll(words[3]);
    settings.input_channels = std::stoll(words[4]);
    return probe_pretrained(words[1], settings, std::stoull(words[5]), words[6], words[7]);
  }
  if (words.size() != 5 && words.size() != 6) throw std::runtime_error("usage: model_probe --list | --requests | ARCH IMAGE_SIZE IMAGES SEED OURS [THEIRS]");
  probe(words[0], std::stoll(words[1]), std::stoll(words[2]), std::stoull(words[3]), words[4], words.size() == 6 ? words[5].c_str() : nullptr);
}

void requests() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
    std::string answer = "done";
    try {
      one(words);
    } catch (const std::exception& error) {
      answer = error.what();
      std::replace(answer.begin(), answer.end(), '\n', ' ');
    }
    std::cout << answer << std::endl;
  }
}

}  // namespace
}  // namespace ringlab

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"--list"}) {
      for (const auto& name : ringlab::registered_names()) std::puts(name.c_str());
    } else if (words == std::vector<std::string>{"--requests"}) {
      ringlab::requests();
    } else {
      ringlab::one(words);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model_probe: %s\n", error.what());
    return 1;
  }
}
