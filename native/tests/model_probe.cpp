// model_probe --list                               prints the architectures, one a line
// model_probe ARCH IMAGE_SIZE SEED OURS [THEIRS]   writes OURS, what e2e_models.py compares with torchvision's model
//
// OURS holds a model made from SEED (`state_dict`, the names of its `parameters` in their order) and, from draws of the same
// generator after it, what it does with four pictures: `train` (the logits in training), `gradients` of the mean loss with
// the labels 0, 1, 2, 3. THEIRS is a file of Python's: our model loads its `state_dict` and evaluates its `images`: `eval`.
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <cstdio>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/tensor_values.h"
#include "checkpoint/value_file.h"
#include "models/loss.h"
#include "models/registry.h"

namespace ringlab {
namespace {

constexpr int64_t kImages = 4;

Value named(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  Items items;
  for (const auto& [name, tensor] : tensors) items.emplace_back(Value::text(name), value_of(tensor.detach().contiguous()));
  return Value::ordered_dict(std::move(items));
}

void probe(const std::string& arch, int64_t size, uint64_t seed, const std::string& ours, const char* theirs) {
  at::set_num_threads(1);
  ModelSettings settings;
  settings.classes = 10;
  settings.image_size = size;
  torch::manual_seed(seed);
  const auto model = make_model(arch, settings);
  std::vector<std::pair<std::string, torch::Tensor>> fresh;
  for (const auto& [name, tensor] : state_dict(*model)) fresh.emplace_back(name, tensor.detach().clone());
  List parameters;
  for (const auto& item : model->named_parameters()) parameters.push_back(Value::text(item.key()));

  const auto images = torch::randn({kImages, settings.input_channels, size, size});
  model->train();
  const Outputs outputs = model->outputs(images);
  const torch::Tensor& logits = outputs.logits;
  losses_of(*model, outputs, torch::arange(kImages)).objective.backward();
  std::vector<std::pair<std::string, torch::Tensor>> gradients;
  for (const auto& item : model->named_parameters()) gradients.emplace_back(item.key(), item.value().grad());

  Value out = Value::dict();
  out.set("state_dict", named(fresh).set_metadata(state_dict_versions(arch, fresh))).set("parameters", Value::list(std::move(parameters))).set("train", value_of(logits.detach())).set("gradients", named(gradients));
  if (theirs != nullptr) {
    const Value file = read_value(theirs);
    load_state_dict(*file.find("state_dict"), state_dict(*model));
    model->eval();
    const torch::NoGradGuard no_grad;
    out.set("eval", value_of(model->forward(tensor_of(*file.find("images")))));
  }
  write_value(ours, out);
}

}  // namespace
}  // namespace ringlab

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--list") {
      for (const auto& name : ringlab::registered_names()) std::puts(name.c_str());
      return 0;
    }
    if (argc != 5 && argc != 6) throw std::runtime_error("usage: model_probe --list | ARCH IMAGE_SIZE SEED OURS [THEIRS]");
    ringlab::probe(argv[1], std::stoll(argv[2]), std::stoull(argv[3]), argv[4], argc == 6 ? argv[5] : nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model_probe: %s\n", error.what());
    return 1;
  }
}
