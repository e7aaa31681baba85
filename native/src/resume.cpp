// What a run takes from files before its first step: weights, checkpoint, and the rank's own state.
#include <algorithm>
#include <cstdio>

#include "checkpoint/share_value.h"
#include "checkpoint/tensor_values.h"
#include "src/trainer.h"

namespace ringlab {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

/// Rank 0 alone reads files; the others need none of them.
void Trainer::resume() {
  if (!options_.pretrained.empty()) {
    std::printf("=> using pre-trained model '%s'\n", options_.arch.c_str());
    const Value weights = load_weights(options_.pretrained);
    try {
      load_state_dict(weights, state_.model);
    } catch (const std::runtime_error& error) {
      throw std::move(Failure(ErrorCode::checkpoint_mismatch, options_.pretrained + ": " + error.what(), "give weights of " + options_.arch).at_path(options_.pretrained));
    }
  }
  if (options_.resume.empty()) return;
  std::printf("=> loading checkpoint '%s'\n", options_.resume.c_str());
  const LoadedCheckpoint loaded = load_checkpoint(options_.resume);
  restore(loaded, options_.resume, state_);
  state_.position.epoch = loaded.epoch;
  state_.position.step = loaded.epoch * steps_per_epoch_;
  if (loaded.position) {
    const Position& from = *loaded.position;
    state_.position = from;
    if (!options_.seed) seed_ = from.seed;
    const int64_t global_batch = int64_t{options_.batch_size} * launch_.world_size;
    if (from.batch > 0 && (from.global_batch != global_batch || from.world_size != launch_.world_size)) {
      state_.position.batch = std::min(from.batch * from.global_batch / global_batch, steps_per_epoch_);
      metrics_.warn("position_changed", "the checkpoint stands in the middle of epoch " + std::to_string(from.epoch) + " of a run with another batch size or world size",
                    "goes on after about as many images; a few may come twice or not at all");
    }
  }
  std::printf("=> loaded checkpoint '%s' (epoch %lld)\n", options_.resume.c_str(), static_cast<long long>(loaded.epoch));
}

/// Rank 0's position, seed and optimiser for everyone; the model went with the reducer's broadcast.
void Trainer::share_position() {
  const Position& mine = state_.position;
  Value shared = Value::dict();
  shared.set("epoch", Value::integer(mine.epoch)).set("step", Value::integer(mine.step)).set("batch", Value::integer(mine.batch));
  shared.set("seed", Value::integer(seed_)).set("best_top1", Value::real(state_.best_top1));
  if (!options_.resume.empty()) shared.set("optimizer", optimizer_->state_dict(state_.lr, state_.initial_lr));
  shared = share_value(*communicator_, shared);
  if (launch_.rank == 0) return;
  state_.position.epoch = shared.find("epoch")->as_integer();
  state_.position.step = shared.find("step")->as_integer();
  state_.position.batch = shared.find("batch")->as_integer();
  seed_ = shared.find("seed")->as_integer();
  state_.best_top1 = shared.find("best_top1")->as_real();
  if (const Value* optimizer = shared.find("optimizer")) optimizer_->load_state_dict(*optimizer);
}

/// The sums of a half-done epoch. They are an account only: where they are missing the epoch's means start anew.
void Trainer::load_rank_state() {
  if (options_.resume.empty() || state_.position.batch == 0) return;
  auto state = ringlab::load_rank_state(folder_of(options_.resume) + "rank-state.pth");
  if (!state || state->rank != launch_.rank) state = ringlab::load_rank_state("rank-state.pth");
  if (state && state->rank == launch_.rank && state->position.step == state_.position.step) {
    sums_ = state->sums;
    return;
  }
  metrics_.warn("rank_state_missing", "no rank-state.pth of step " + std::to_string(state_.position.step) + " for rank " + std::to_string(launch_.rank),
                "the means of epoch " + std::to_string(state_.position.epoch) + " cover only its second part");
}

}  // namespace ringlab
