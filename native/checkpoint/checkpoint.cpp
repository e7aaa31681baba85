#include "checkpoint/checkpoint.h"

#include <sys/stat.h>

#include <algorithm>

#include "checkpoint/pickle.h"
#include "checkpoint/tensor_values.h"
#include "checkpoint/zip.h"
#include "src/error.h"

namespace ringlab {
namespace {

[[noreturn]] void mismatch(const std::string& path, const std::string& what) {
  throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + what, "give the checkpoint of this run, or leave --resume away").at_path(path));
}

uint64_t write_value(const std::string& path, const Value& value) {
  const Pickled pickled = write_pickle(value);
  std::vector<ZipEntry> entries = {{"archive/data.pkl", pickled.bytes.data(), pickled.bytes.size()}};
  const std::string order = "little";
  entries.push_back({"archive/byteorder", order.data(), order.size()});
  for (size_t i = 0; i < pickled.storages.size(); ++i) {
    const auto& storage = *pickled.storages[i];
    entries.push_back({"archive/data/" + std::to_string(i), storage.data, static_cast<uint64_t>(storage.elements) * item_size(storage.dtype)});
  }
  const std::string version = "3\n";
  entries.push_back({"archive/version", version.data(), version.size()});
  write_zip(path, entries);
  return zip_size(entries);
}

Value read_value(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) throw std::move(Failure(ErrorCode::bad_data, path + ": no such checkpoint", "give an existing file to --resume").at_path(path));
  try {
    const ZipReader zip(path);
    const auto pickle = zip.read(zip.prefix() + "data.pkl");
    const std::string bytes(reinterpret_cast<const char*>(pickle.data), pickle.size);
    std::vector<std::pair<std::string, std::shared_ptr<const Storage>>> loaded;
    return read_pickle(bytes, [&](const std::string& key, DType dtype, int64_t elements) -> std::shared_ptr<const Storage> {
      for (const auto& [known, storage] : loaded) {
        if (known == key && storage->dtype == dtype && storage->elements == elements) return storage;
      }
      const auto record = zip.read(zip.prefix() + "data/" + key);
      if (static_cast<uint64_t>(elements) > record.size / item_size(dtype)) throw ZipError("its storage " + key.substr(0, 40) + " is too short");
      auto storage = std::make_shared<Storage>();
      storage->dtype = dtype;
      storage->elements = elements;
      storage->data = record.data;
      storage->owner = record.owner;
      loaded.emplace_back(key, storage);
      return storage;
    });
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    mismatch(path, error.what());
  }
}

Value position_value(const Position& position) {
  return Value::dict()
      .set("epoch", Value::integer(position.epoch))
      .set("step", Value::integer(position.step))
      .set("batch", Value::integer(position.batch))
      .set("global_batch", Value::integer(position.global_batch))
      .set("world_size", Value::integer(position.world_size))
      .set("seed", Value::integer(position.seed));
}

int64_t integer_of(const Value& dict, const char* key) {
  const Value* value = dict.find(key);
  if (value == nullptr) throw std::runtime_error(std::string("its '") + key + "' is missing");
  return value->as_integer();
}

Position position_of(const Value& value) {
  Position position;
  position.epoch = integer_of(value, "epoch");
  position.step = integer_of(value, "step");
  position.batch = integer_of(value, "batch");
  position.global_batch = integer_of(value, "global_batch");
  position.world_size = integer_of(value, "world_size");
  position.seed = integer_of(value, "seed");
  if (position.epoch < 0 || position.step < 0 || position.batch < 0 || position.global_batch < 0) throw std::runtime_error("its position is negative");
  return position;
}

double number_of(const Value& value) {
  if (value.kind() == Value::Kind::tensor) return tensor_of(value).item<double>();
  return value.as_real();
}

}  // namespace

uint64_t save_checkpoint(const std::string& path, const TrainingState& state) {
  Items weights;
  for (const auto& [name, tensor] : state.model) weights.emplace_back(Value::text(name), value_of(tensor));
  Value checkpoint = Value::dict();
  checkpoint.set("epoch", Value::integer(state.position.epoch))
      .set("arch", Value::text(state.arch))
      .set("state_dict", Value::ordered_dict(std::move(weights)))
      .set("best_acc1", Value::real(state.best_top1))
      .set("optimizer", state.optimizer->state_dict(state.lr, state.initial_lr))
      .set("scheduler", state.scheduler)
      .set("position", position_value(state.position));
  return write_value(path, checkpoint);
}

LoadedCheckpoint load_checkpoint(const std::string& path) {
  const Value value = read_value(path);
  try {
    LoadedCheckpoint loaded;
    const Value* state_dict = value.find("state_dict");
    if (state_dict == nullptr || !state_dict->is_dict()) throw std::runtime_error("has no state_dict: it is not a checkpoint of main.py's kind");
    loaded.state_dict = *state_dict;
    loaded.epoch = integer_of(value, "epoch");
    if (loaded.epoch < 0) throw std::runtime_error("its epoch is negative");
    if (const Value* arch = value.find("arch")) loaded.arch = arch->as_text();
    if (const Value* best = value.find("best_acc1")) loaded.best_top1 = number_of(*best);
    if (const Value* optimizer = value.find("optimizer")) loaded.optimizer = *optimizer;
    if (const Value* position = value.find("position")) loaded.position = position_of(*position);
    return loaded;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    mismatch(path, error.what());
  }
}

Value load_weights(const std::string& path) {
  const Value value = read_value(path);
  if (const Value* state_dict = value.find("state_dict")) return *state_dict;
  if (!value.is_dict()) mismatch(path, "holds no state_dict");
  return value;
}

void restore(const LoadedCheckpoint& loaded, const std::string& path, TrainingState& state) {
  if (!loaded.arch.empty() && loaded.arch != state.arch) mismatch(path, "is of " + loaded.arch + ", this run trains " + state.arch);
  try {
    load_state_dict(loaded.state_dict, state.model);
    if (!loaded.optimizer.is_none()) state.optimizer->load_state_dict(loaded.optimizer);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    mismatch(path, error.what());
  }
  state.best_top1 = loaded.best_top1;
}

uint64_t save_rank_state(const std::string& path, const RankState& state) {
  const Value sums = Value::dict()
                         .set("images", Value::real(state.sums.images))
                         .set("loss", Value::real(state.sums.loss))
                         .set("top1", Value::real(state.sums.top1))
                         .set("top5", Value::real(state.sums.top5));
  Value value = Value::dict();
  value.set("rank", Value::integer(state.rank)).set("position", position_value(state.position)).set("sums", sums);
  return write_value(path, value);
}

std::optional<RankState> load_rank_state(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  const Value value = read_value(path);
  try {
    RankState state;
    state.rank = static_cast<int>(integer_of(value, "rank"));
    const Value* position = value.find("position");
    const Value* sums = value.find("sums");
    if (position == nullptr || sums == nullptr) throw std::runtime_error("is not a rank's state");
    state.position = position_of(*position);
    for (const auto& [name, number] : {std::pair{"images", &state.sums.images}, {"loss", &state.sums.loss}, {"top1", &state.sums.top1}, {"top5", &state.sums.top5}}) {
      if (const Value* sum = sums->find(name)) *number = sum->as_real();
    }
    return state;
  } catch (const std::exception& error) {
    mismatch(path, error.what());
  }
}

}  // namespace ringlab
