// The position in the run at which a file was saved.
#pragma once

#include <cstdint>
#include <string>

#include "values/value.h"

namespace ringlab {

/// Numbers of a run beyond these are damage: no run gets there, and no sum of them passes 64 bits.
constexpr int64_t kMaxEpoch = 10'000'000;
constexpr int64_t kMaxSteps = int64_t{1} << 53;
constexpr int64_t kMaxGlobalBatch = int64_t{1} << 40;
constexpr int64_t kMaxWorldSize = 1 << 20;

struct Position {
  int64_t epoch = 0;         ///< epochs complete: main.py's `epoch`
  int64_t step = 0;          ///< optimizer steps over the whole run
  int64_t batch = 0;         ///< steps done in the epoch that is not complete
  int64_t global_batch = 0;  ///< images a step, all ranks
  int64_t world_size = 1;
  int64_t seed = 0;          ///< the sampler's and the augmentation's
  std::string epoch_id;      ///< the files of one save, over all ranks, have one; no two saves have the same
};

/// A dict of the fields by their names.
Value value_of(const Position& position);
/// Throws std::runtime_error where a field is missing, negative or beyond the limits above.
Position position_of(const Value& value);

/// Steps of so many epochs; kMaxSteps where there are more.
int64_t steps_in(int64_t epochs, int64_t steps_per_epoch);

/// "epoch 3 (step 1200)": for messages.
std::string text_of(const Position& position);

/// `dict`'s entry `key`; throws std::runtime_error where it is missing or no integer.
int64_t integer_of(const Value& dict, const char* key);
/// The same, and where it is not from `low` to `high`.
int64_t bounded_integer_of(const Value& dict, const char* key, int64_t low, int64_t high);

/// The id of a save: `run` is drawn by rank 0 at each start, so that files of an earlier attempt are recognised.
std::string make_epoch_id(uint64_t run, const Position& position);

}  // namespace ringlab
