// This rank's share of the training images.
#pragma once

#include "train/run.h"

namespace ringlab {

/// With --sharded-data a collective: the ranks exchange their folder's identity and size.
Share agree_on_share(const RunContext& run);

}  // namespace ringlab
