#include "train/leaving.h"

#include "base/stop_signal.h"

namespace ringlab {

bool leaves_alone(const RunContext& run) {
  const bool others_go_on = run.options.on_lost_rank == OnLostRank::go_on && run.communicator != nullptr;
  return others_go_on && stop_reason() == "SIGTERM" && machine_shuts_down();
}

bool stops_all(const RunContext& run) { return stop_requested() && !leaves_alone(run); }

}  // namespace ringlab
