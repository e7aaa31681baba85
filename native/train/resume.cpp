#include "train/resume.h"

#include <ATen/Functions.h>
#include <sys/stat.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/checked.h"
#include "base/console.h"
#include "base/error.h"
#include "base/suggest.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/generators.h"
#include "checkpoint/share_value.h"
#include "comm/collectives/share_model.h"
#include "launch/elastic.h"
#include "models/head.h"
#include "models/published_weights.h"
#include "train/shares.h"
#include "train/start_line.h"
#include "values/tensor_values.h"

namespace ringlab {
namespace {

/// torchrun restarts the ranks with the same command line: then the newest checkpoint of this job is resumed. The job's own checkpoint may be
/// named before it exists; any other file must exist.
std::string choose_resume(const RunContext& run, const RunState& state) {
  const auto elastic = torch_elastic();
  if (run.options.resume.empty() || !elastic || run.options.evaluate) return run.options.resume;
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string own = state.folder + "/" + kCheckpointFile;
  const bool given = fs::exists(run.options.resume, ignored);
  if (elastic->restart_count > 0 && fs::exists(own, ignored) && (!given || fs::last_write_time(own, ignored) > fs::last_write_time(run.options.resume, ignored))) return own;
  if (given || fs::weakly_canonical(fs::absolute(run.options.resume), ignored) != fs::weakly_canonical(own, ignored)) return run.options.resume;
  say("=> no checkpoint found at '" + run.options.resume + "'");
  return "";
}

/// In a folder, torchvision's file.
PretrainedFile read_pretrained(const Options& options) {
  struct stat found {};
  const bool folder = stat(options.pretrained.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  return load_weights(folder ? options.pretrained + "/" + published_weights_file(options.arch) : options.pretrained);
}

/// Ignores failures: rank 0 sends what was not loaded.
template <typename Load>
void attempt(const Load& load) {
  try {
    load();
  } catch (const std::exception&) {
  }
}

void take_rank_state(const RunContext& run, RunState& state, const RankState& own, const std::string& path) {
  try {
    state.sums = own.sums;
    restore_generators(own.generators, run.device);
    if (own.parts.is_none()) return;  // see Keepers
    for (const auto& [name, part] : state.rank_parts) {
      if (const Value* saved = own.parts.find(name)) part->load_state_dict(*saved);
      else run.metrics.warn("state_missing", path + " has no state of " + name, "its initial value is used");
    }
  } catch (const std::runtime_error& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "resume on the kind of machine and with the options that it was saved with").at_path(path));
  }
}

/// Where this rank's files of a checkpoint may be.
std::vector<std::string> rank_folders(const RunContext& run, const RunState& state, const std::string& checkpoint) {
  const std::string beside = folder_of(checkpoint);
  const std::string mine = "rank-" + std::to_string(run.launch.rank);
  std::vector<std::string> folders = {state.folder, beside + "/" + mine, beside + "/../" + mine};
  if (run.is_first()) folders.push_back(beside);
  return folders;
}

/// The save after which every rank continues from the weights of its own file: in the middle of an epoch of local steps. "" for others.
std::string save_of_own_weights(const RunContext& run, const RankState& saved) {
  const Value* sync = saved.parts.find("sync");
  const Value* mode = sync == nullptr ? nullptr : sync->find("mode");
  // Another number of ranks and another mode start from rank 0's weights: see load_rank_states().
  const bool continues = mode != nullptr && mode->as_text() == run.options.sync.text && saved.position.world_size == run.launch.world_size;
  return continues && saved.position.batch > 0 && !run.options.evaluate ? saved.position.epoch_id : "";
}

}  // namespace

void agree_on_seed(const RunContext& run, RunState& state) {
  state.seed = run.options.seed ? *run.options.seed : static_cast<int64_t>(std::random_device()());
  if (!run.options.seed && run.communicator != nullptr) {
    at::Tensor seed = at::full({1}, state.seed, at::kLong);
    run.communicator->broadcast({seed});
    state.seed = seed.item<int64_t>();
  }
  torch::manual_seed(static_cast<uint64_t>(state.seed));
}

StartFiles read_start_files(const RunContext& run, RunState& state, std::optional<LoadedCheckpoint> newest) {
  StartFiles files;
  if (!run.options.pretrained.empty()) {
    say("=> using pre-trained model '" + run.options.arch + "'");
    files.pretrained = read_pretrained(run.options);
  }
  state.resume_path = choose_resume(run, state);
  if (state.resume_path.empty()) return files;
  say("=> loading checkpoint '" + state.resume_path + "'");
  files.checkpoint = newest ? std::move(*newest) : load_checkpoint(state.resume_path);
  return files;
}

Adopted take_pretrained(const RunContext& run, RunState& state, const Classifier& model, const PretrainedFile& file) {
  const std::string& path = file.path;
  Adopted adopted;
  try {
    adopted = load_pretrained(file.weights, state.training.model, head_layers(model));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "give weights of " + run.options.arch).at_path(path));
  }
  if (!adopted.fresh.empty()) {
    const std::string classes = adopted.classes > 0 ? ": " + std::to_string(run.data.classes) + " classes here, " + std::to_string(adopted.classes) + " in " + path : ", which " + path + " does not have";
    say("=> new and not pre-trained: " + join(adopted.fresh) + classes);
  }
  for (const auto& text : adopted.adapted) say("=> adapted to this model: " + text);
  return adopted;
}

void resume(const RunContext& run, RunState& state, const LoadedCheckpoint& loaded) {
  restore(loaded, state.resume_path, state.training);
  if (loaded.optimizer.is_none() && !run.options.evaluate) run.metrics.warn("state_missing", state.resume_path + " has no state of the optimizer", "its momenta start at zero", state.resume_path);
  state.training.position.epoch = loaded.epoch;
  state.training.position.step = steps_in(loaded.epoch, state.steps_per_epoch);
  if (loaded.position) {
    const Position& from = *loaded.position;
    state.training.position = from;
    if (!run.options.seed) state.seed = from.seed;
    const int64_t global_batch = run.images_a_step();
    const bool dealt = resume_deal(run, state, from);
    // The file's position is limited to this run's epochs.
    state.training.position.batch = std::min(from.batch, state.steps_per_epoch);
    if (!dealt && from.batch > 0 && (from.global_batch != global_batch || from.world_size != run.launch.world_size)) {
      state.training.position.batch = std::min(checked_scale(from.batch, from.global_batch, global_batch).value_or(state.steps_per_epoch), state.steps_per_epoch);
      run.metrics.warn("position_changed", "the checkpoint stands in the middle of epoch " + std::to_string(from.epoch) + " of a run with another batch size or world size",
                    "continues after about as many images; a few may be seen twice or not at all");
    }
    warn_other_order(run, state, from);
    if (run.launch.world_size == 1 && from.world_size == 1 && loaded.rank_state) take_rank_state(run, state, *loaded.rank_state, state.resume_path);
  }
  say("=> loaded checkpoint '" + state.resume_path + "' (epoch " + std::to_string(loaded.epoch) + ")");
}

OwnCopies take_own_copies(const RunContext& run, const RunState& state, const Classifier& model) {
  const Options& options = run.options;
  const bool is_source = run.launch.rank == state.source;
  OwnCopies own;
  bool has_weights = false;
  if (!options.resume.empty() && options.sync.kind == SyncMode::Kind::outer) {
    attempt([&] {
      const std::string& checkpoint = is_source ? state.resume_path : options.resume;
      const RankState saved = newest_rank_state(rank_folders(run, state, checkpoint), run.launch.rank);
      if (!is_source) load_state_dict(saved.weights, state.training.model);
      else if (saved.position.epoch_id != state.training.position.epoch_id) return;
      has_weights = true;
      own.save = save_of_own_weights(run, saved);
    });
  }
  if (is_source) return own;
  // A broadcast over the loopback costs less than a copy of the file in every rank's memory.
  if (run.communicator->address_of(run.launch.rank) == run.communicator->address_of(state.source)) return own;
  // Over the weights of a save they would be loaded for nothing, and share_weights() would not notice: all ranks would name that save.
  if (!options.pretrained.empty() && !has_weights) attempt([&] { load_pretrained(read_pretrained(options).weights, state.training.model, head_layers(model)); });
  if (options.resume.empty()) return own;
  attempt([&] {
    const LoadedCheckpoint copy = load_checkpoint(options.resume);
    load_state_dict(copy.state_dict, state.training.model);
    own.save.clear();
    own.rest = Value::dict().set("optimizer", copy.optimizer);
    for (const auto& [name, part] : state.training.parts) {
      if (const Value* saved = copy.all.find(name)) own.rest.set(name, *saved);
    }
  });
  return own;
}

void share_weights(const RunContext& run, const RunState& state, const Classifier& model, const std::string& save, const Keepers& keepers) {
  const auto saves = run.communicator->gather_texts(save);
  const bool own = !save.empty() && std::all_of(saves.begin(), saves.end(), [&](const std::string& one) { return one == save; });
  NamedModel tensors;
  for (const auto& item : model.named_parameters()) {
    if (!keepers.apart || !item.value().requires_grad()) tensors.emplace_back(item.key(), item.value());
  }
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  if (!own) share_model(*run.communicator, tensors, [&run](const Lacking& lacking) { announce_sharing(run, "weights", lacking.bytes, lacking.tensors); }, state.source);
  // Without --seed dropout differs from rank to rank, as it does in main.py.
  if (!run.options.seed && run.launch.rank != state.source) torch::manual_seed(std::random_device()());
}

void share_position(const RunContext& run, RunState& state, const Value& own) {
  const Position& mine = state.training.position;
  Value shared = Value::dict();
  shared.set("epoch", Value::integer(mine.epoch)).set("step", Value::integer(mine.step)).set("batch", Value::integer(mine.batch));
  shared.set("seed", Value::integer(state.seed)).set("best_top1", Value::real(state.training.best_top1)).set("run", Value::integer(static_cast<int64_t>(state.run_id)));
  shared.set("resumes", Value::boolean(!state.resume_path.empty()));
  if (!mine.deal.is_plain()) shared.set("dealt", value_of(mine));
  shared.set("saved_world_size", Value::integer(mine.world_size)).set("epoch_id", Value::text(mine.epoch_id));
  if (!state.resume_path.empty()) {
    Value parts = Value::dict();
    for (const auto& [name, part] : state.training.parts) parts.set(name, part->state_dict());
    shared.set("parts", parts);
  }
  shared = share_value(*run.communicator, shared, own, {}, state.source);
  if (run.launch.rank == state.source) return;
  state.training.position.epoch = bounded_integer_of(shared, "epoch", 0, kMaxEpoch);
  state.training.position.step = bounded_integer_of(shared, "step", 0, kMaxSteps);
  if (const Value* dealt = shared.find("dealt")) {
    state.training.position.deal = position_of(*dealt).deal;
    state.steps_per_epoch = steps_of_epoch(run, state.share, state.training.position.deal);
  }
  state.training.position.batch = bounded_integer_of(shared, "batch", 0, state.steps_per_epoch);
  state.training.position.world_size = bounded_integer_of(shared, "saved_world_size", 0, kMaxWorldSize);
  state.training.position.epoch_id = shared.find("epoch_id")->as_text();
  state.seed = shared.find("seed")->as_integer();
  state.run_id = static_cast<uint64_t>(shared.find("run")->as_integer());
  state.training.best_top1 = shared.find("best_top1")->as_real();
  if (shared.find("resumes")->as_integer() == 0) state.resume_path.clear();
  for (const auto& [name, part] : state.training.parts) {
    const Value* parts = shared.find("parts");
    if (const Value* saved = parts != nullptr ? parts->find(name) : nullptr) part->load_state_dict(*saved);
  }
}

void share_optimizer(const RunContext& run, RunState& state, const Value& own) {
  if (state.resume_path.empty() || run.options.evaluate) return;
  const Value shared = share_value(*run.communicator, state.training.optimizer->state_dict(state.training.lr, state.training.initial_lr), own,
                                   [&run](int64_t bytes) { announce_sharing(run, "optimizer state", bytes, std::nullopt); }, state.source);
  if (run.launch.rank != state.source) state.training.optimizer->load_state_dict(shared);
}

LoadedRankStates load_rank_states(const RunContext& run, RunState& state, const Keepers& keepers) {
  const Position& from = state.training.position;  // the checkpoint's, until the trainer sets it
  if (state.resume_path.empty() || from.epoch_id.empty() || run.options.evaluate) return {};
  if (from.world_size != run.launch.world_size) {
    if (keepers.own) take_rank_state(run, state, *keepers.own, keepers.path);
    // Where ranks leave and rejoin, it is what was asked for.
    const bool asked = run.options.on_lost_rank != OnLostRank::end;
    if (run.is_first() && !asked) {
      run.metrics.warn("world_changed", "the checkpoint is of " + std::to_string(from.world_size) + " ranks, this run has " + std::to_string(run.launch.world_size),
                    "model, optimizer and position in the data continue; each rank's own state starts from its initial value");
    }
    // New ranks' momenta start at zero: to send them would take as long as the weights.
    const bool local_steps = asked && run.options.sync.kind == SyncMode::Kind::outer;
    return {true, local_steps && (keepers.any || from.world_size == 1)};
  }
  if (run.communicator == nullptr) return {};  // resume() has restored the checkpoint's own
  const FoundRankState found = find_rank_state(rank_folders(run, state, state.resume_path), run.launch.rank, from);
  const auto answers = run.communicator->gather_texts(found.state ? "" : found.instead);
  std::string missing;
  for (size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].empty()) continue;
    const std::string address = run.communicator->address_of(static_cast<int>(rank));
    missing += "; rank " + std::to_string(rank) + (address.empty() ? "" : " (" + address + ")") + ": " + answers[rank];
  }
  if (!missing.empty() && run.options.fresh_rank_state) {
    if (run.is_first()) {
      run.metrics.warn("rank_state_fresh", state.resume_path + ", of " + text_of(from) + ", is not a whole set: " + missing.substr(2),
                    "model, optimizer and position in the data continue; each rank's own state starts from its initial value");
    }
    return {};
  }
  if (!missing.empty()) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, state.resume_path + ", of " + text_of(from) + ", is not a whole set: " + missing.substr(2),
                            "bring the missing rank-state.pth, or start from the weights alone: --pretrained " + state.resume_path + " --start-epoch " + std::to_string(from.epoch))
                        .at_path(state.resume_path));
  }
  take_rank_state(run, state, *found.state, found.path);
  // Only the previous file was found: the newest set is incomplete.
  const std::string previous = std::string("/") + kPreviousRankStateFile;
  const bool whole = found.path.size() < previous.size() || found.path.compare(found.path.size() - previous.size(), previous.size(), previous) != 0;
  const Value* sync = found.state->parts.find("sync");
  const auto lack = run.communicator->gather_texts(sync != nullptr && sync->find("optimizer") != nullptr ? "" : "none");
  return {whole, std::all_of(lack.begin(), lack.end(), [](const std::string& one) { return one.empty(); })};
}

}  // namespace ringlab
