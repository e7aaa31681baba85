// What a run leaves behind at an epoch's end: checkpoint, best model, and the rank's own state. Copied in the moment,
// written while training goes on.
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/clock.h"
#include "base/stop_signal.h"
#include "checkpoint/checkpoint_names.h"
#include "train/generators.h"
#include "train/trainer.h"

namespace ringlab {

/// This rank's folder for files. Ranks that were started in a folder of one name, which may well be the same one on a
/// network file system, would overwrite each other's: all but the lowest of them use rank-<k> in it.
std::string Trainer::choose_folder() {
  const std::string here = std::filesystem::current_path().string();
  if (communicator_ == nullptr) return here;
  const auto folders = communicator_->gather_texts(here);
  for (int lower = 0; lower < launch_.rank; ++lower) {
    if (folders[static_cast<size_t>(lower)] != here) continue;
    const std::string own = here + "/rank-" + std::to_string(launch_.rank);
    mkdir(own.c_str(), 0755);  // where that fails the first save says so
    return own;
  }
  return here;
}

RankState Trainer::own_state() const {
  RankState state;
  state.rank = launch_.rank;
  state.position = state_.position;
  state.sums = sums_;
  state.generators = generator_states(device_);
  state.parts = Value::dict();
  for (const auto& [name, part] : rank_parts_) state.parts.set(name, part->state_dict());
  return state;
}

/// Returns as soon as what may change before the next optimiser step is copied; see keep_saved_tensors().
void Trainer::save(bool best, std::optional<int64_t> keep_epoch) {
  const double started = steady_seconds();
  save_thread_.wait();
  state_.position.epoch_id = make_epoch_id(run_id_, state_.position);
  const auto snapshot = std::make_shared<Snapshot>();
  const RankState own = own_state();
  SaveParts parts;
  parts.epoch_id = state_.position.epoch_id;
  parts.rank_state = snapshot->now(value_of(own));
  parts.best = best;
  parts.keep_epoch = keep_epoch;
  if (launch_.rank == 0) {
    state_.scheduler = schedule_.state_dict(state_.position.epoch, backbone_schedule_ ? &*backbone_schedule_ : nullptr);
    parts.checkpoint = checkpoint_value(state_, own, *snapshot);
  }
  SaveAccount account{state_.position, state_.best_top1, best, keep_epoch ? kept_checkpoint_file(*keep_epoch) : "", started, 0};
  account.stall = steady_seconds() - started;
  save_thread_.start(snapshot, [this, parts = std::move(parts), account] { write_save(parts, account); });
}

/// On the save thread.
void Trainer::write_save(const SaveParts& parts, const SaveAccount& account) {
  const auto report = [&](const char* name, uint64_t bytes, const char* file, bool best, const std::string& kept) {
    JsonObject line;
    line.add("epoch", account.position.epoch).add("step", account.position.step).add("path", folder_ + "/" + name).add("bytes", bytes);
    line.add("seconds", steady_seconds() - account.started).add("stall_seconds", account.stall + save_thread_.stall_seconds());
    line.add("best", best).add("best_top1", account.best_top1).add("file", file);
    if (!kept.empty()) line.add("kept", kept);
    metrics_.write("checkpoint", line);
  };
  try {
    const auto written = checkpoint_set_->write(parts);
    if (launch_.rank == 0) report(kCheckpointFile, written.checkpoint_bytes, "checkpoint", account.best, written.keep_problem.empty() ? account.kept : "");
    report(kRankStateFile, written.rank_state_bytes, "rank-state", false, "");
    if (!written.keep_problem.empty()) metrics_.warn("not_kept", written.keep_problem, std::string(kCheckpointFile) + " is whole");
    last_saved_ = account.position;
    save_failure_.reset();
  } catch (const Failure& failure) {
    save_failure_.emplace(failure.code(), "the checkpoint of " + text_of(account.position) + " was not saved: " + failure.what(), failure.hint());
  } catch (const std::exception& error) {
    save_failure_.emplace(ErrorCode::internal, "the checkpoint of " + text_of(account.position) + " was not saved: " + error.what());
  }
  if (save_failure_ && !abandoning_) metrics_.warn(error_code_name(save_failure_->code()), save_failure_->what(), save_failure_->hint());
}

void Trainer::keep_saved_tensors() { save_thread_.wait_until_copied(); }

/// The end waits for the last save, and is a failure where that is.
void Trainer::finish_saving() {
  save_thread_.wait();
  if (save_failure_) throw Failure(*save_failure_);
}

std::string Trainer::stop_text() const {
  const std::string reason = stop_reason();
  std::string text = reason.empty() ? "stopped, since another rank was asked to" : "stopped on " + reason;
  if (options_.evaluate || !last_saved_) return text + "; nothing was saved";
  const Position& at = *last_saved_;
  text += " after step " + std::to_string(at.step) + " (epoch " + std::to_string(at.epoch) + ", " + std::to_string(at.batch) + " of its " + std::to_string(steps_per_epoch_) + " steps)";
  if (launch_.rank != 0) return text + "; rank 0 has the checkpoint";
  return text + "; go on from its checkpoint: --resume " + folder_ + "/" + kCheckpointFile;
}

/// "the last good checkpoint is …": for a run that ends badly. Waits for the save in hand.
std::string Trainer::last_good_checkpoint() {
  save_thread_.wait();
  if (last_saved_) return "the last good checkpoint is rank 0's " + std::string(kCheckpointFile) + " of " + text_of(*last_saved_) + (launch_.rank == 0 ? " in " + folder_ : "");
  if (!resume_path_.empty()) return "the last good checkpoint is " + resume_path_;
  return "no checkpoint was written before";
}

void Trainer::throw_diverged(const std::string& what) {
  throw Failure(ErrorCode::diverged, what + " is not a number in step " + std::to_string(state_.position.step) + " (epoch " + std::to_string(state_.position.epoch) + "); " + last_good_checkpoint(),
                "lower --lr");
}

/// Would the checkpoint be worth its name? All ranks hold the same parameters, so all answer the same.
void Trainer::refuse_diverged_weights() {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : model_->parameters()) {
    if (!std::isfinite(parameter.sum().item<double>())) throw_diverged("a weight");
  }
}

}  // namespace ringlab
