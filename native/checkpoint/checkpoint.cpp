#include "checkpoint/checkpoint.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/state_dict_versions.h"
#include "values/tensor_values.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

constexpr const char* kOwnTop1 = "val_top1";  ///< of these weights; best_acc1 is of the run

double number_of(const Value& value) {
  if (value.kind() == Value::Kind::tensor) return tensor_of(value).item<double>();
  return value.as_real();
}

/// main.py's load_state_dict would take the file's. On standard error, as all warnings.
void warn_of_other_settings(const std::string& path, const std::vector<std::string>& settings) {
  if (settings.empty()) return;
  std::string words;
  for (const auto& setting : settings) words += (words.empty() ? "" : ", ") + setting;
  std::fprintf(stderr, "ringlab-train: warning: %s: its optimizer has %s; this run goes on with its own: give --momentum and --weight-decay as there, the others cannot be chosen\n", path.c_str(), words.c_str());
}

Value value_of(const ModelInput& input) {
  List names;
  // Of a folder in another encoding: PyTorch and the app read no pickle with other bytes.
  for (const auto& name : input.classes) names.push_back(Value::text(valid_utf8(name)));
  Value value = Value::dict().set("size", Value::integer(input.size)).set("channels", Value::integer(input.channels)).set("classes", Value::list(std::move(names)));
  if (input.transform_input) value.set("transform_input", Value::boolean(true));
  return value;
}

ModelInput input_of(const Value& value) {
  ModelInput input;
  input.size = integer_of(value, "size");
  input.channels = integer_of(value, "channels");
  const Value* names = value.find("classes");
  if (names == nullptr || !names->is_sequence()) throw std::runtime_error("its input has no list of classes");
  for (const Value& name : names->items()) input.classes.push_back(name.as_text());
  if (const Value* transforms = value.find("transform_input")) input.transform_input = transforms->as_integer() != 0;
  if (input.size < 1 || input.size > 4096 || (input.channels != 1 && input.channels != 3)) throw std::runtime_error("its input is of no size that a model takes");
  return input;
}

}  // namespace

Value weights_value(const TrainingState& state, Snapshot& snapshot) {
  Items weights;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state.model) {
    names.push_back(name);
    const Value live = value_of(tensor);
    weights.emplace_back(Value::text((state.module_prefix ? kModulePrefix : "") + name), state.buffers.count(name) != 0 ? snapshot.now(live) : snapshot.later(live));
  }
  return Value::ordered_dict(std::move(weights)).set_metadata(state_dict_versions(state.arch, names, state.module_prefix));
}

Value checkpoint_value(const TrainingState& state, const RankState& rank_state, std::optional<double> val_top1, Snapshot& snapshot) {
  RankState own = rank_state;
  own.parts = Value::dict();  // these are in rank 0's rank-state.pth
  Value checkpoint = Value::dict();
  checkpoint.set("epoch", Value::integer(state.position.epoch))
      .set("arch", Value::text(state.arch))
      .set("state_dict", weights_value(state, snapshot))
      .set("best_acc1", snapshot.now(value_of(at::scalar_tensor(state.best_top1, at::kDouble))))  // main.py moves it to its GPU
      .set("best_top1", Value::real(state.best_top1))
      .set("optimizer", snapshot.later(state.optimizer->state_dict(state.lr, state.initial_lr)))
      .set("scheduler", state.scheduler)
      .set("input", value_of(state.input))
      .set("position", value_of(state.position))
      .set("rank_state", snapshot.now(value_of(own)));
  if (val_top1) checkpoint.set(kOwnTop1, Value::real(*val_top1));
  for (const auto& [name, part] : state.parts) checkpoint.set(name, snapshot.now(part->state_dict()));
  return checkpoint;
}

LoadedCheckpoint load_checkpoint(const std::string& path) {
  const Value value = read_value(path, Foreign::ignored);
  try {
    LoadedCheckpoint loaded;
    const Value* state_dict = value.find("state_dict");
    if (state_dict == nullptr || !state_dict->is_dict()) throw std::runtime_error("has no state_dict: it is not a checkpoint of main.py's kind");
    loaded.state_dict = *state_dict;
    loaded.epoch = bounded_integer_of(value, "epoch", 0, kMaxEpoch);
    if (const Value* arch = value.find("arch")) loaded.arch = arch->as_text();
    if (const Value* best = value.find("best_acc1")) loaded.best_top1 = number_of(*best);
    if (const Value* optimizer = value.find("optimizer")) loaded.optimizer = *optimizer;
    if (const Value* position = value.find("position")) loaded.position = position_of(*position);
    if (const Value* rank_state = value.find("rank_state")) loaded.rank_state = rank_state_of(*rank_state);
    if (const Value* input = value.find("input")) loaded.input = input_of(*input);
    loaded.all = value;
    return loaded;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw_mismatch(path, error.what());
  }
}

std::optional<double> top1_of_best(const std::string& folder) {
  const std::string path = folder + "/" + kBestFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const LoadedCheckpoint best = load_checkpoint(path);
    const Value* own = best.all.find(kOwnTop1);
    return own != nullptr ? own->as_real() : best.best_top1;
  } catch (const std::exception&) {
    return -1;
  }
}

void restore(const LoadedCheckpoint& loaded, const std::string& path, TrainingState& state) {
  if (!loaded.arch.empty() && loaded.arch != state.arch) throw_mismatch(path, "is of " + loaded.arch + ", this run trains " + state.arch);
  try {
    load_state_dict(loaded.state_dict, state.model);
    if (!loaded.optimizer.is_none()) {
      state.optimizer->load_state_dict(loaded.optimizer);
      warn_of_other_settings(path, state.optimizer->other_settings(loaded.optimizer));
    }
    for (const auto& [name, part] : state.parts) {
      const Value* saved = loaded.all.find(name);
      if (saved != nullptr && !saved->is_none()) part->load_state_dict(*saved);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "a resume needs the same model and optimizer; to start another task from these weights give the file to --pretrained").at_path(path));
  }
  state.best_top1 = loaded.best_top1;
}

}  // namespace ringlab
