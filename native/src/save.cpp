// What a run leaves behind at an epoch's end: checkpoint, best model, and the rank's own state.
#include <unistd.h>

#include <cstdio>

#include "checkpoint/atomic_file.h"
#include "src/trainer.h"
#include "sync/sgd.h"

namespace ringlab {

void Trainer::save(bool best) {
  const double started = steady_seconds();
  char folder[4096] = ".";
  if (getcwd(folder, sizeof folder) == nullptr) std::snprintf(folder, sizeof folder, ".");
  const auto report = [&](const std::string& path, uint64_t bytes, double since, const char* file, bool is_best) {
    JsonObject line;
    line.add("epoch", state_.position.epoch).add("step", state_.position.step).add("path", std::string(folder) + "/" + path).add("bytes", bytes);
    line.add("seconds", steady_seconds() - since).add("best", is_best).add("best_top1", state_.best_top1).add("file", file);
    metrics_.write("checkpoint", line);
  };
  if (launch_.rank == 0) {
    state_.scheduler = step_lr_state_dict(options_.lr, options_.gamma, options_.step_size, state_.position.epoch, state_.lr);
    const uint64_t bytes = save_checkpoint("checkpoint.pth.tar", state_);
    if (best) copy_atomically("checkpoint.pth.tar", "model_best.pth.tar");
    report("checkpoint.pth.tar", bytes, started, "checkpoint", best);
  }
  const double rank_started = steady_seconds();
  report("rank-state.pth", save_rank_state("rank-state.pth", {launch_.rank, state_.position, sums_}), rank_started, "rank-state", false);
}

}  // namespace ringlab
