// Validation: every image on exactly one rank, sums over all ranks.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "train/rank_model.h"
#include "train/run.h"

namespace ringlab {

struct EvalResult {
  double loss = 0;
  double top1 = 0;
  double top5 = 0;
  int64_t images = 0;
  double seconds = 0;
  bool stopped = false;  ///< stopped by a signal: the numbers are not valid
};

/// Three doubles on the tensors' device, without waiting for it: the loss, and how many rows have their label among the k largest logits, for k = 1 and 5.
torch::Tensor judge(const torch::Tensor& loss, const torch::Tensor& logits, const torch::Tensor& labels);

/// A collective. The model is in training mode afterwards.
EvalResult evaluate(const RunContext& run, RankModel& model);

}  // namespace ringlab
