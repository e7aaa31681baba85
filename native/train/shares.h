// Which of the training images belong to this rank.
#pragma once

#include "train/run.h"

namespace ringlab {

/// With --sharded-data a collective: the ranks exchange which folder they read and how much is in it.
Share agree_on_share(const RunContext& run);

}  // namespace ringlab
