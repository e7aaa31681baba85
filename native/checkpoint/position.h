// Where in the run a file stands.
#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/value.h"

namespace ringlab {

struct Position {
  int64_t epoch = 0;         ///< epochs complete: main.py's `epoch`
  int64_t step = 0;          ///< optimiser steps over the whole run
  int64_t batch = 0;         ///< steps done in the epoch that is not complete
  int64_t global_batch = 0;  ///< images a step, all ranks
  int64_t world_size = 1;
  int64_t seed = 0;          ///< the sampler's and the augmentation's
  std::string epoch_id;      ///< the files of one save, over all ranks, have one; no two saves have the same
};

/// A dict of the fields by their names.
Value value_of(const Position& position);
/// Throws std::runtime_error where a field is missing or negative.
Position position_of(const Value& value);

/// "epoch 3 (step 1200)": for messages.
std::string text_of(const Position& position);

/// `dict`'s entry `key`; throws std::runtime_error where it is missing or no integer.
int64_t integer_of(const Value& dict, const char* key);

/// The id of a save: `run` is drawn by rank 0 at each start, so that what an earlier attempt left is told apart.
std::string make_epoch_id(uint64_t run, const Position& position);

}  // namespace ringlab
