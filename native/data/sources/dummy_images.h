// main.py's --dummy: generated images and labels, to measure without a data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/data_set.h"

namespace ringlab {

/// Noise with random labels, at the model's input size: neither cropped nor flipped, as with main.py's FakeData.
/// Deterministic for equal settings.
class DummyImages : public DataSet {
 public:
  DummyImages(int64_t count, int edge, int64_t classes, uint64_t seed);

  const std::string& root() const override { return root_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return count_; }
  int32_t label(int64_t index) const override;
  std::string name(int64_t index) const override { return root_ + "[" + std::to_string(index) + "]"; }
  StoredImage read(int64_t index) const override;
  bool augments() const override { return false; }

 private:
  std::string root_ = "dummy data";
  int64_t count_;
  int edge_;
  uint64_t seed_;
  std::vector<std::string> classes_;
};

}  // namespace ringlab
