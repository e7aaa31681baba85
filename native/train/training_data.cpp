#include "train/training_data.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "data/sources/dummy_images.h"

namespace ringlab {
namespace {

// As in main.py: ImageNet's values.
constexpr int64_t kDummyTrain = 1281167;
constexpr int64_t kDummyVal = 50000;
constexpr int64_t kDummyClasses = 1000;

Splits open(const Options& options) {
  if (!options.dummy) return open_data(options.dir, options.num_classes);
  const int64_t classes = options.num_classes > 0 ? options.num_classes : kDummyClasses;
  return {std::make_unique<DummyImages>(kDummyTrain, options.image_size, classes, 0), std::make_unique<DummyImages>(kDummyVal, options.image_size, classes, 1)};
}

void check_same_classes(const DataSet& train, const DataSet& val) {
  if (val.classes() == train.classes()) return;
  const auto missing = [](const DataSet& from, const DataSet& in, const char* other) {
    for (const auto& name : from.classes()) {
      if (std::find(in.classes().begin(), in.classes().end(), name) == in.classes().end()) return from.root() + "/" + name + " has no counterpart in " + other;
    }
    return std::string();
  };
  std::string odd = missing(train, val, "val");
  if (odd.empty()) odd = missing(val, train, "train");
  throw std::move(Failure(ErrorCode::bad_data, "train and val have different classes: " + odd, "give both the same class folders").at_path(val.root()));
}

}  // namespace

TrainingData::TrainingData(const Options& options) : splits(open(options)) {
  shape = {options.image_size, options.input_channels};
  const auto found = static_cast<int64_t>(train().classes().size());
  classes = options.num_classes > 0 ? options.num_classes : found;
  if (classes < found) {
    throw Failure(ErrorCode::usage, "--num-classes " + std::to_string(classes) + ": " + train().root() + " has " + std::to_string(found) + " classes; valid: " + std::to_string(found) + " or more");
  }
  check_same_classes(train(), val());
}

}  // namespace ringlab
