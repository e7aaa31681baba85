#include "src/classify.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/pretrained.h"
#include "data/pixels/transforms.h"
#include "models/architectures/registry.h"
#include "values/tensor_values.h"

namespace ringlab {
namespace {

struct Settings {
  std::string checkpoint;
  std::string image;
  int top = 5;
  int size = 0;      ///< for checkpoints without it; 0: not given
  int channels = 0;  ///< likewise
  bool transform_input = false;  ///< likewise
  int threads = 0;
};

Settings parse(const std::vector<std::string>& arguments) {
  Settings settings;
  std::vector<std::string> files;
  parse_arguments("classify", arguments,
                  {number_row("--top", settings.top, 1, 1 << 20), number_row("--image-size", settings.size, 8, 4096),
                   {"--input-channels", true,
                    [&](const std::string& given, const std::string& value) {
                      if (value != "1" && value != "3") throw Failure(ErrorCode::usage, given + ": valid: 1, 3");
                      settings.channels = value == "1" ? 1 : 3;
                    }},
                   {"--transform-input", true,
                    [&](const std::string& given, const std::string& value) {
                      if (value != "on" && value != "off") throw Failure(ErrorCode::usage, given + ": valid: on, off");
                      settings.transform_input = value == "on";
                    }},
                   number_row("--threads", settings.threads, 1, 1024)},
                  [&](const std::string& file) { files.push_back(file); });
  if (files.size() != 2) throw Failure(ErrorCode::usage, "classify: give a checkpoint and an image: ringlab-train classify CHECKPOINT IMAGE");
  settings.checkpoint = files[0];
  settings.image = files[1];
  return settings;
}

/// Outputs of the model: the rows of the last layer's bias, or of its weight without a bias; one of them is the last entry of
/// every state_dict.
int64_t outputs_of(const LoadedCheckpoint& loaded, const std::string& path) {
  const auto& entries = loaded.state_dict.entries();
  if (!entries.empty() && entries.back().second.kind() == Value::Kind::tensor) {
    const auto& sizes = entries.back().second.as_tensor().sizes;
    if ((sizes.size() == 1 || sizes.size() == 2) && sizes.front() > 0 && sizes.front() <= (1 << 20)) return sizes.front();
  }
  throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": its state_dict does not end in a classifier's last layer", "give a checkpoint of this trainer or of PyTorch's main.py").at_path(path));
}

std::shared_ptr<Classifier> model_of(const LoadedCheckpoint& loaded, const ModelInput& input, const std::string& path) {
  if (loaded.arch.empty()) throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": it does not name its architecture", "give a checkpoint of this trainer or of PyTorch's main.py").at_path(path));
  ModelSettings settings;
  settings.classes = outputs_of(loaded, path);
  settings.image_size = input.size;
  settings.input_channels = input.channels;
  settings.auxiliary = has_auxiliary_heads(loaded.state_dict);
  settings.transform_input = input.transform_input;
  auto model = make_model(loaded.arch, settings);
  try {
    load_state_dict(loaded.state_dict, state_dict(*model));
  } catch (const std::runtime_error& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "give a checkpoint of " + loaded.arch).at_path(path));
  }
  model->eval();
  return model;
}

/// With validation's transform.
at::Tensor input_from(const std::string& path, const ModelInput& input) {
  at::Tensor image = at::empty({1, input.channels, input.size, input.size}, at::kFloat);
  try {
    Transformer transformer({static_cast<int>(input.size), static_cast<int>(input.channels)});
    transformer.validate(StoredImage(read_file_bytes(path)), image.data_ptr<float>());
  } catch (const BrokenImage& broken) {
    throw std::move(Failure(ErrorCode::bad_data, path + ": " + broken.what(), "give a JPEG or PNG file").at_path(path));
  }
  return image;
}

JsonObject classify(const Settings& settings) {
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  const at::AutoGradMode no_grad(false);
  const double started = steady_seconds();
  const LoadedCheckpoint loaded = load_checkpoint(settings.checkpoint);
  ModelInput input = loaded.input.value_or(ModelInput{});
  if (!loaded.input && settings.size > 0) input.size = settings.size;
  if (!loaded.input && settings.channels > 0) input.channels = settings.channels;
  const at::Tensor image = input_from(settings.image, input);
  const auto model = model_of(loaded, input, settings.checkpoint);
  const at::Tensor probabilities = model->forward(image).to(at::kDouble).softmax(1).squeeze(0);
  const auto [best, indices] = probabilities.topk(std::min<int64_t>(settings.top, probabilities.size(0)));
  std::vector<std::string> classes;
  for (int64_t i = 0; i < best.size(0); ++i) {
    const auto index = indices[i].item<int64_t>();
    JsonObject one;
    one.add("index", index);
    if (index < static_cast<int64_t>(input.classes.size())) one.add("name", input.classes[static_cast<size_t>(index)]);
    classes.push_back(one.add("probability", best[i].item<double>()).str());
  }
  JsonObject result;
  result.add("v", 1).add("kind", "classified").add("arch", loaded.arch).add("epoch", loaded.epoch);
  result.add("image_size", input.size).add("input_channels", input.channels).add("outputs", probabilities.size(0));
  return result.add_raw("classes", json_array(classes)).add("seconds", steady_seconds() - started);
}

}  // namespace

int classify_command(const std::vector<std::string>& arguments) {
  const Settings settings = parse(arguments);
  try {
    std::printf("%s\n", classify(settings).str().c_str());
    return 0;
  } catch (const Failure& failure) {
    JsonObject error;
    error.add("code", error_code_name(failure.code())).add("message", failure.what()).add("hint", failure.hint());
    if (!failure.path().empty()) error.add("path", failure.path());
    std::printf("%s\n", JsonObject().add("v", 1).add("kind", "classified").add_raw("error", error.str()).str().c_str());
    std::fflush(stdout);
    throw;
  }
}

}  // namespace ringlab
