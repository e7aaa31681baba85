// The position in the run at which a file was saved.
#pragma once

#include <cstdint>
#include <string>

#include "data/loading/deal.h"
#include "values/value.h"

namespace ringlab {

/// Larger numbers mean a damaged file: no run reaches them, and no sum of them overflows 64 bits.
constexpr int64_t kMaxEpoch = 10'000'000;
constexpr int64_t kMaxSteps = int64_t{1} << 53;
constexpr int64_t kMaxGlobalBatch = int64_t{1} << 40;
constexpr int64_t kMaxWorldSize = 1 << 20;
constexpr int64_t kMaxImages = int64_t{1} << 40;
constexpr size_t kMaxDealtAgain = size_t{1} << 24;

struct Position {
  int64_t epoch = 0;         ///< completed epochs: main.py's `epoch`
  int64_t step = 0;          ///< optimizer steps over the whole run
  int64_t batch = 0;         ///< steps done in the current epoch
  int64_t global_batch = 0;  ///< images per step, over all ranks
  int64_t world_size = 1;
  int64_t seed = 0;          ///< of sampler and augmentation
  int64_t images = 0;        ///< of the training set; 0: unknown, in files of earlier versions
  Deal deal;                 ///< of the rest of the epoch, if ranks were lost in it
  std::string epoch_id;      ///< the same in all files of one save, over all ranks; unique per save
};

/// A dict of the fields by their names.
Value value_of(const Position& position);
/// Throws std::runtime_error if a field is missing, negative or above the limits.
Position position_of(const Value& value);

/// Steps of `epochs` epochs, at most kMaxSteps.
int64_t steps_in(int64_t epochs, int64_t steps_per_epoch);

/// "epoch 3 (step 1200)": for messages.
std::string text_of(const Position& position);

/// `dict`'s entry `key`; throws std::runtime_error if it is missing or not an integer.
int64_t integer_of(const Value& dict, const char* key);
/// Also throws if it is not from `low` to `high`.
int64_t bounded_integer_of(const Value& dict, const char* key, int64_t low, int64_t high);

/// The id of a save: `run` is drawn by rank 0 at each start, to distinguish files of an earlier attempt.
std::string make_epoch_id(uint64_t run, const Position& position);

}  // namespace ringlab
