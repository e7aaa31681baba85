// The data set given by the options: the two splits and the classes, checked before anything else starts.
#pragma once

#include <cstdint>

#include "data/pixels/transforms.h"
#include "data/sources/open_data.h"
#include "options/options.h"

namespace ringlab {

struct TrainingData {
  /// Throws Failure (bad_data, usage).
  explicit TrainingData(const Options& options);

  const DataSet& train() const { return *splits.train; }
  const DataSet& val() const { return *splits.val; }

  Splits splits;
  int64_t classes = 0;  ///< outputs of the model
  InputShape shape;
};

}  // namespace ringlab
