// What a run takes from files before its first step: weights, checkpoint, and the rank's own state.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "base/checked.h"
#include "base/suggest.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/share_value.h"
#include "launch/elastic.h"
#include "models/head.h"
#include "models/published_weights.h"
#include "train/generators.h"
#include "train/trainer.h"
#include "values/tensor_values.h"

namespace ringlab {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

/// torchrun starts the ranks anew with the same words: what this job has saved since is gone on from then. Its own checkpoint may be
/// named before there is one; any other file must exist.
std::string Trainer::choose_resume() const {
  const auto elastic = torch_elastic();
  if (options_.resume.empty() || !elastic || options_.evaluate) return options_.resume;
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string own = folder_ + "/" + kCheckpointFile;
  const bool given = fs::exists(options_.resume, ignored);
  if (elastic->restart_count > 0 && fs::exists(own, ignored) && (!given || fs::last_write_time(own, ignored) > fs::last_write_time(options_.resume, ignored))) return own;
  if (given || fs::weakly_canonical(fs::absolute(options_.resume), ignored) != fs::weakly_canonical(own, ignored)) return options_.resume;
  say("=> no checkpoint found at '" + options_.resume + "'");
  return "";
}

/// Rank 0 alone reads weights and checkpoints; the others need none of them. A folder stands for torchvision's file in it.
void Trainer::open_files() {
  if (!options_.pretrained.empty()) {
    say("=> using pre-trained model '" + options_.arch + "'");
    struct stat found {};
    std::string path = options_.pretrained;
    if (stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) path += "/" + published_weights_file(options_.arch);
    pretrained_ = load_weights(path);
  }
  resume_path_ = choose_resume();
  if (resume_path_.empty()) return;
  say("=> loading checkpoint '" + resume_path_ + "'");
  resumed_ = load_checkpoint(resume_path_);
}

/// What rank 0's files say of the model that all ranks make.
void Trainer::choose_form() {
  if (!takes_transform_input(options_.arch)) return;
  if (launch_.rank == 0) form_ = model_form(options_, resumed_ ? &*resumed_ : nullptr, pretrained_ ? &*pretrained_ : nullptr);
  if (communicator_ == nullptr) return;
  const auto texts = communicator_->gather_texts(std::string(form_.auxiliary ? "a" : "") + (form_.transform_input ? "t" : ""));
  form_.auxiliary = texts.front().find('a') != std::string::npos;
  form_.transform_input = texts.front().find('t') != std::string::npos;
}

void Trainer::take_pretrained() {
  if (!pretrained_) return;
  const std::string path = pretrained_->path;
  try {
    adopted_ = load_pretrained(pretrained_->weights, state_.model, head_layers(*model_));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "give weights of " + options_.arch).at_path(path));
  }
  if (!adopted_.fresh.empty()) {
    const std::string classes = adopted_.classes > 0 ? ": " + std::to_string(data_.classes) + " classes here, " + std::to_string(adopted_.classes) + " in " + path : ", which " + path + " does not have";
    say("=> new and not pre-trained: " + join(adopted_.fresh) + classes);
  }
  for (const auto& text : adopted_.adapted) say("=> made to fit: " + text);
  pretrained_.reset();
}

void Trainer::resume() {
  if (!resumed_) return;
  const LoadedCheckpoint loaded = *std::exchange(resumed_, std::nullopt);
  restore(loaded, resume_path_, state_);
  if (loaded.optimizer.is_none() && !options_.evaluate) metrics_.warn("state_missing", resume_path_ + " has no state of the optimizer", "its momenta start anew", resume_path_);
  state_.position.epoch = loaded.epoch;
  state_.position.step = steps_in(loaded.epoch, steps_per_epoch_);
  if (loaded.position) {
    const Position& from = *loaded.position;
    state_.position = from;
    // What the file says is trusted no further than this run's epochs go.
    state_.position.batch = std::min(from.batch, steps_per_epoch_);
    if (!options_.seed) seed_ = from.seed;
    const int64_t global_batch = images_a_step();
    if (from.batch > 0 && (from.global_batch != global_batch || from.world_size != launch_.world_size)) {
      state_.position.batch = std::min(checked_scale(from.batch, from.global_batch, global_batch).value_or(steps_per_epoch_), steps_per_epoch_);
      metrics_.warn("position_changed", "the checkpoint stands in the middle of epoch " + std::to_string(from.epoch) + " of a run with another batch size or world size",
                    "goes on after about as many images; a few may come twice or not at all");
    }
    if (launch_.world_size == 1 && from.world_size == 1 && loaded.rank_state) take_rank_state(*loaded.rank_state, resume_path_);
  }
  say("=> loaded checkpoint '" + resume_path_ + "' (epoch " + std::to_string(loaded.epoch) + ")");
}

/// Rank 0's position, seed, optimiser and parts for everyone; the model went with the reducer's broadcast.
void Trainer::share_position() {
  const Position& mine = state_.position;
  Value shared = Value::dict();
  shared.set("epoch", Value::integer(mine.epoch)).set("step", Value::integer(mine.step)).set("batch", Value::integer(mine.batch));
  shared.set("seed", Value::integer(seed_)).set("best_top1", Value::real(state_.best_top1)).set("run", Value::integer(static_cast<int64_t>(run_id_)));
  shared.set("resumes", Value::boolean(!resume_path_.empty()));
  shared.set("saved_world_size", Value::integer(mine.world_size)).set("epoch_id", Value::text(mine.epoch_id));
  if (!resume_path_.empty()) {
    shared.set("optimizer", optimizer_->state_dict(state_.lr, state_.initial_lr));
    Value parts = Value::dict();
    for (const auto& [name, part] : state_.parts) parts.set(name, part->state_dict());
    shared.set("parts", parts);
  }
  shared = share_value(*communicator_, shared);
  if (launch_.rank == 0) return;
  state_.position.epoch = bounded_integer_of(shared, "epoch", 0, kMaxEpoch);
  state_.position.step = bounded_integer_of(shared, "step", 0, kMaxSteps);
  state_.position.batch = bounded_integer_of(shared, "batch", 0, steps_per_epoch_);
  state_.position.world_size = bounded_integer_of(shared, "saved_world_size", 0, kMaxWorldSize);
  state_.position.epoch_id = shared.find("epoch_id")->as_text();
  seed_ = shared.find("seed")->as_integer();
  run_id_ = static_cast<uint64_t>(shared.find("run")->as_integer());
  state_.best_top1 = shared.find("best_top1")->as_real();
  if (shared.find("resumes")->as_integer() == 0) resume_path_.clear();
  if (const Value* optimizer = shared.find("optimizer")) optimizer_->load_state_dict(*optimizer);
  for (const auto& [name, part] : state_.parts) {
    const Value* parts = shared.find("parts");
    if (const Value* saved = parts != nullptr ? parts->find(name) : nullptr) part->load_state_dict(*saved);
  }
}

void Trainer::take_rank_state(const RankState& state, const std::string& path) {
  try {
    sums_ = state.sums;
    restore_generators(state.generators, device_);
    for (const auto& [name, part] : rank_parts_) {
      if (const Value* saved = state.parts.find(name)) part->load_state_dict(*saved);
      else metrics_.warn("state_missing", path + " has no state of " + name, "it starts anew");
    }
  } catch (const std::runtime_error& error) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + error.what(), "resume on the kind of machine and with the options that it was saved with").at_path(path));
  }
}

/// Every rank's own file, of the checkpoint's epoch id: all of them, or nobody goes on.
void Trainer::load_rank_states() {
  const Position& from = state_.position;  // the checkpoint's, until prepare() makes it this run's
  if (resume_path_.empty() || from.epoch_id.empty() || options_.evaluate) return;
  if (from.world_size != launch_.world_size) {
    if (launch_.rank == 0) {
      metrics_.warn("world_changed", "the checkpoint is of " + std::to_string(from.world_size) + " ranks, this run has " + std::to_string(launch_.world_size),
                    "the model, its optimiser and its place in the data go on; what was each rank's alone starts anew");
    }
    return;
  }
  if (communicator_ == nullptr) return;  // resume() has taken the checkpoint's own
  const std::string beside = folder_of(resume_path_);
  const std::string mine = "rank-" + std::to_string(launch_.rank);
  std::vector<std::string> folders = {folder_, beside + "/" + mine, beside + "/../" + mine};
  if (launch_.rank == 0) folders.push_back(beside);
  const FoundRankState found = find_rank_state(folders, launch_.rank, from);
  const auto answers = communicator_->gather_texts(found.state ? "" : found.instead);
  std::string missing;
  for (size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].empty()) continue;
    const std::string address = communicator_->address_of(static_cast<int>(rank));
    missing += "; rank " + std::to_string(rank) + (address.empty() ? "" : " (" + address + ")") + ": " + answers[rank];
  }
  if (!missing.empty() && options_.fresh_rank_state) {
    if (launch_.rank == 0) {
      metrics_.warn("rank_state_fresh", resume_path_ + ", of " + text_of(from) + ", is not a whole set: " + missing.substr(2),
                    "the model, its optimiser and its place in the data go on; what was each rank's alone starts anew");
    }
    return;
  }
  if (!missing.empty()) {
    throw std::move(Failure(ErrorCode::checkpoint_mismatch, resume_path_ + ", of " + text_of(from) + ", is not a whole set: " + missing.substr(2),
                            "bring the missing rank-state.pth, or start from the weights alone: --pretrained " + resume_path_ + " --start-epoch " + std::to_string(from.epoch))
                        .at_path(resume_path_));
  }
  take_rank_state(*found.state, found.path);
  // Only the one before tells of a newest set that is torn.
  const std::string previous = std::string("/") + kPreviousRankStateFile;
  set_is_whole_ = found.path.size() < previous.size() || found.path.compare(found.path.size() - previous.size(), previous.size(), previous) != 0;
}

}  // namespace ringlab
