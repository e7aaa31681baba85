#include "checkpoint/checkpoint_set.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/rank_state.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

constexpr double kPatience = 600;  ///< seconds
constexpr const char* kFine = "ok";
constexpr const char* kFineAndBest = "ok best";  ///< rank 0's verdict
constexpr const char* kHint = "the checkpoint before it is whole";

/// Serialises a failure as a note, and back: code, line end, message.
std::string note_of(const Failure& failure) { return std::string(error_code_name(failure.code())) + "\n" + failure.what(); }

Failure failure_of(const std::string& note) {
  const size_t end = note.find('\n');
  const ErrorCode code = note.substr(0, end) == error_code_name(ErrorCode::disk_full) ? ErrorCode::disk_full : ErrorCode::internal;
  return Failure(code, end == std::string::npos ? note : note.substr(end + 1), kHint);
}

}  // namespace

CheckpointSet::CheckpointSet(int rank, int world_size, Board* board, std::string folder, bool file_is_whole_set)
    : rank_(rank), world_size_(world_size), board_(board), folder_(std::move(folder)), whole_(file_is_whole_set) {
  // Also of copies that this run does not make: those of another epoch, or of a best model that stays the best.
  for (const char* beginning : {"checkpoint", "model_best", "rank-state"}) remove_left_behind(folder_, beginning);
}

std::string CheckpointSet::wait_for(const std::string& key, const std::string& who) {
  const double deadline = steady_seconds() + kPatience;
  while (true) {
    if (auto text = board_->look_up(key)) return *text;
    if (abandoned_) throw Failure(ErrorCode::internal, "the run is ending: no more files are saved");
    if (steady_seconds() > deadline) throw Failure(ErrorCode::internal, who + " has not written its part for ten minutes", "is its disk, or the network file system, answering?");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Rank 0 may have completed the save before although its verdict did not arrive: until that is known, both of this rank's files stay as they are.
void CheckpointSet::settle_last() {
  if (undecided_id_.empty()) return;
  const auto verdict = board_->look_up(key(undecided_id_, "verdict"));
  if (!verdict) throw Failure(ErrorCode::internal, "rank 0 has not ended the save before", kHint);
  whole_ = *verdict == kFine || *verdict == kFineAndBest;
  undecided_id_.clear();
}

void CheckpointSet::forget_last() {
  if (board_ == nullptr || rank_ != 0 || last_id_.empty()) return;
  for (int rank = 0; rank < world_size_; ++rank) board_->remove(key(last_id_, std::to_string(rank)));
  board_->remove(key(last_id_, "verdict"));
}

/// Writes this rank's files, the checkpoint still under its temporary name. Returns the error as a note.
std::string CheckpointSet::write_own(const SaveParts& parts, std::optional<ValueFile>& checkpoint, Written& written) {
  try {
    const std::string rank_state = folder_ + "/" + kRankStateFile;
    if (whole_) keep_as(rank_state, folder_ + "/" + kPreviousRankStateFile);
    whole_ = false;
    written.rank_state_bytes = write_value(rank_state, parts.rank_state);
    if (!parts.checkpoint.is_none()) checkpoint.emplace(folder_ + "/" + kCheckpointFile, parts.checkpoint);
    return "";
  } catch (const Failure& failure) {
    return note_of(failure);
  } catch (const std::exception& error) {
    return note_of(Failure(ErrorCode::internal, error.what()));
  }
}

/// Copies this rank's files of a complete set, readable by other programs: none is a hard link, through which they could write
/// into the newest. Returns the error.
std::string CheckpointSet::keep(const SaveParts& parts, bool best) const {
  const auto keep_both = [&](const std::string& checkpoint, const std::string& rank_state) {
    copy_atomically(folder_ + "/" + kRankStateFile, folder_ + "/" + rank_state);
    if (rank_ == 0) copy_atomically(folder_ + "/" + kCheckpointFile, folder_ + "/" + checkpoint);
  };
  try {
    if (parts.keep_epoch) keep_both(kept_checkpoint_file(*parts.keep_epoch), kept_rank_state_file(*parts.keep_epoch));
    if (best) keep_both(kBestFile, kBestRankStateFile);
    return "";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

CheckpointSet::Written CheckpointSet::write(const SaveParts& parts) {
  try {
    return write_with_all(parts);
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& error) {  // thrown by the board
    throw Failure(ErrorCode::internal, std::string("rank 0's store is gone: ") + error.what(), kHint);
  }
}

CheckpointSet::Written CheckpointSet::write_with_all(const SaveParts& parts) {
  settle_last();
  Written written;
  std::optional<ValueFile> checkpoint;
  std::string problem = write_own(parts, checkpoint, written);
  const auto report = [&](const std::string& what) {
    if (board_ != nullptr) board_->post(key(parts.epoch_id, what), !problem.empty() ? problem : written.best ? kFineAndBest : kFine);
  };
  if (rank_ != 0) {
    if (problem.empty()) undecided_id_ = parts.epoch_id;
    report(std::to_string(rank_));
    const std::string verdict = wait_for(key(parts.epoch_id, "verdict"), "rank 0");
    undecided_id_.clear();
    written.best = verdict == kFineAndBest;
    if (verdict != kFine && !written.best) throw failure_of(verdict);
    whole_ = true;
    written.keep_problem = keep(parts, written.best);
    return written;
  }
  try {
    for (int rank = 1; rank < world_size_; ++rank) {
      const std::string name = "rank " + std::to_string(rank);
      const std::string text = wait_for(key(parts.epoch_id, std::to_string(rank)), name);
      const size_t end = text.find('\n');
      if (text != kFine && problem.empty()) problem = text.substr(0, end) + "\n" + name + ": " + (end == std::string::npos ? text : text.substr(end + 1));
    }
    if (problem.empty()) {
      checkpoint->commit();
      whole_ = true;
      written.checkpoint_bytes = checkpoint->bytes();
    }
  } catch (const Failure& failure) {
    problem = note_of(failure);
  }
  forget_last();  // every rank has started this save, or never will
  last_id_ = parts.epoch_id;
  written.best = parts.best;
  report("verdict");
  if (!problem.empty()) throw failure_of(problem);
  written.keep_problem = keep(parts, written.best);
  return written;
}

}  // namespace ringlab
