// Ranks were lost: what a rank that is left keeps until all of them have what they go on with. Where one more is lost before, it goes back to where it stood.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "comm/collectives/communicator.h"
#include "data/loading/cut.h"
#include "data/loading/sampler.h"
#include "launch/launch.h"
#include "train/members/survivors.h"
#include "train/run.h"
#include "train/synchronisation.h"

namespace ringlab {

/// What a rank's place among the members of the next generation changes.
struct MemberState {
  Launch launch;
  StepSize step;
  Share share;
  Position position;
  MeterSums sums;
  int64_t steps_per_epoch = 0;
  double best_top1 = 0;
  bool no_best_yet = false;
  StatefulParts parts;
  StatefulParts rank_parts;
};

struct MemberChange {
  Standing standing;  ///< with the members of before; and with the next ones once this rank has received all
  MemberState before;
  std::vector<int> places;                ///< the rank of before of each rank that communicates now; empty: the same
  Regrouped next;                         ///< who is to go on; its `places` are ranks of before
  Boundary boundary;                      ///< from where
  std::unique_ptr<Synchronisation> sync;  ///< of before, while there is one of the next members
  std::function<void()> take;             ///< takes what this rank has received into its model. Needs no other rank
};

}  // namespace ringlab
