#include "train/saver.h"

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/stop_signal.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/generators.h"

namespace ringlab {

std::string choose_folder(const RunContext& run) {
  const std::string here = std::filesystem::current_path().string();
  if (run.communicator == nullptr) return here;
  const auto folders = run.communicator->gather_texts(here);
  for (int lower = 0; lower < run.launch.rank; ++lower) {
    if (folders[static_cast<size_t>(lower)] != here) continue;
    const std::string own = here + "/rank-" + std::to_string(run.launch.rank);
    mkdir(own.c_str(), 0755);  // on failure, the first save reports it
    return own;
  }
  return here;
}

Saver::Saver(const RunContext& run, RunState& state, const LearningRates& rates, bool set_is_whole)
    : run_(run), state_(state), rates_(rates),
      set_(run.launch.rank, run.launch.world_size, run.communicator != nullptr ? &run.communicator->board() : nullptr, state.folder, set_is_whole),
      last_began_(steady_seconds()) {}

Saver::~Saver() {
  // After a failure the other ranks may be gone, and the set would never be complete.
  abandoning_ = true;
  set_.abandon();
}

RankState Saver::own_state() const {
  RankState own;
  own.rank = run_.launch.rank;
  own.position = state_.training.position;
  own.sums = state_.sums;
  own.generators = generator_states(run_.device);
  own.parts = Value::dict();
  for (const auto& [name, part] : state_.rank_parts) own.parts.set(name, part->state_dict());
  return own;
}

void Saver::save(std::optional<double> top1, std::optional<int64_t> keep_epoch) {
  const double started = steady_seconds();
  last_began_ = started;
  thread_.wait();
  TrainingState& training = state_.training;
  training.position.epoch_id = make_epoch_id(state_.run_id, training.position);
  const auto snapshot = std::make_shared<Snapshot>();
  const RankState own = own_state();
  SaveParts parts;
  parts.epoch_id = training.position.epoch_id;
  parts.rank_state = snapshot->now(value_of(own));
  // Local steps are for slow links, over which a resume would send the weights to this rank.
  if (!run_.is_first() && run_.options.sync.kind == SyncMode::Kind::outer) parts.rank_state.set("weights", weights_value(training, *snapshot));
  parts.best = top1 && *top1 > state_.kept_best_top1;
  parts.keep_epoch = keep_epoch;
  if (run_.is_first()) {
    training.scheduler = rates_.state_dict(training.position.epoch);
    parts.checkpoint = checkpoint_value(training, own, top1, *snapshot);
  }
  Account account{training.position, training.best_top1, top1, keep_epoch ? kept_checkpoint_file(*keep_epoch) : "", started, 0};
  account.stall = steady_seconds() - started;
  thread_.start(snapshot, [this, parts = std::move(parts), account] { write(parts, account); });
}

bool Saver::is_due() const {
  const double every = run_.options.checkpoint_every;
  return every > 0 && run_.is_first() && thread_.is_idle() && steady_seconds() - last_began_ >= every;
}

/// On the save thread.
void Saver::write(const SaveParts& parts, const Account& account) {
  const auto report = [&](const char* name, uint64_t bytes, const char* file, bool best, const std::string& kept) {
    JsonObject line;
    line.add("epoch", account.position.epoch).add("step", account.position.step).add("path", state_.folder + "/" + name).add("bytes", bytes);
    line.add("seconds", steady_seconds() - account.started).add("stall_seconds", account.stall + thread_.stall_seconds());
    line.add("best", best).add("best_top1", account.best_top1).add("file", file).add("members", account.position.world_size);
    if (!kept.empty()) line.add("kept", kept);
    run_.metrics.write("checkpoint", line);
  };
  // A set is complete once every rank has written: no rank's lines of steps before it are lost with the power.
  run_.metrics.sync();
  try {
    const auto written = set_.write(parts);
    const bool best = written.best && written.keep_problem.empty();
    if (best && account.top1 && run_.is_first()) state_.kept_best_top1 = *account.top1;
    if (run_.is_first()) report(kCheckpointFile, written.checkpoint_bytes, "checkpoint", best, written.keep_problem.empty() ? account.kept : "");
    report(kRankStateFile, written.rank_state_bytes, "rank-state", false, "");
    if (!written.keep_problem.empty()) run_.metrics.warn("not_kept", written.keep_problem, std::string(kCheckpointFile) + " is whole");
    last_saved_ = account.position;
    failure_.reset();
  } catch (const Failure& failure) {
    failure_.emplace(failure.code(), "the checkpoint of " + text_of(account.position) + " was not saved: " + failure.what(), failure.hint());
  } catch (const std::exception& error) {
    failure_.emplace(ErrorCode::internal, "the checkpoint of " + text_of(account.position) + " was not saved: " + error.what());
  }
  // Where ranks were lost and the others go on, they save again.
  const bool lost = run_.communicator != nullptr && run_.communicator->has_lost();
  if (failure_ && !abandoning_ && !lost) run_.metrics.warn(error_code_name(failure_->code()), failure_->what(), failure_->hint());
}

bool Saver::end_save() {
  abandoning_ = true;
  set_.abandon();
  thread_.wait();
  return set_.file_is_whole_set();
}

void Saver::finish() {
  thread_.wait();
  if (failure_) throw Failure(*failure_);
}

std::string Saver::stop_text() const {
  const std::string reason = stop_reason();
  std::string text = reason.empty() ? "stopped, since another rank was asked to" : "stopped on " + reason;
  if (run_.options.evaluate || !last_saved_) return text + "; nothing was saved";
  const Position& at = *last_saved_;
  text += " after step " + std::to_string(at.step) + " (epoch " + std::to_string(at.epoch) + ", " + std::to_string(at.batch) + " of its " + std::to_string(state_.steps_per_epoch) + " steps)";
  if (!run_.is_first()) return text + "; rank 0 has the checkpoint";
  return text + "; continue from its checkpoint: --resume " + state_.folder + "/" + kCheckpointFile;
}

/// "the last good checkpoint is …": for a failed run.
std::string Saver::last_good_checkpoint() {
  thread_.wait();
  if (last_saved_) return "the last good checkpoint is rank 0's " + std::string(kCheckpointFile) + " of " + text_of(*last_saved_) + (run_.is_first() ? " in " + state_.folder : "");
  if (!state_.resume_path.empty()) return "the last good checkpoint is " + state_.resume_path;
  return "no checkpoint was written before";
}

Failure Saver::diverged(const std::string& what) {
  const Position& at = state_.training.position;
  return Failure(ErrorCode::diverged, what + " is not a number in step " + std::to_string(at.step) + " (epoch " + std::to_string(at.epoch) + "); " + last_good_checkpoint(), "lower --lr");
}

}  // namespace ringlab
