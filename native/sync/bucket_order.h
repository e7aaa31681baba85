// In which buckets the gradients of the next step are averaged, as a part of the checkpoint.
#pragma once

#include <string>
#include <vector>

#include "values/stateful.h"

namespace ringlab {

/// Rank 0's, equal on all ranks. Without it a resumed run would begin with other buckets than the uninterrupted one continues with, and
/// at three ranks and more add in another order. A state_dict is `{"order": [[name, …], …]}`, parameters by their names: first
/// exchanged first, and within a bucket as they lie in memory.
class BucketOrder : public Stateful {
 public:
  Value state_dict() const override;
  /// Throws std::runtime_error where it is not of that form or names a parameter twice; whether the names are this model's is
  /// the business of fits().
  void load_state_dict(const Value& state) override;

  /// Are these the parameters, each once? False of none.
  bool fits(std::vector<std::string> parameters) const;

  const std::vector<std::vector<std::string>>& buckets() const { return buckets_; }
  void set(std::vector<std::vector<std::string>> buckets) { buckets_ = std::move(buckets); }

 private:
  std::vector<std::string> sorted_names() const;

  std::vector<std::vector<std::string>> buckets_;  ///< none: before the first step, or of a run that has none
};

}  // namespace ringlab
