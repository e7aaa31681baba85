// Short notes that all ranks can read and write, stored as keys in rank 0's store.
#pragma once

#include <optional>
#include <string>

namespace ringlab {

/// Thread-safe. Throws std::exception if the store is gone.
class Board {
 public:
  virtual ~Board() = default;
  virtual void post(const std::string& key, const std::string& text) = 0;
  /// Empty if no rank has posted it.
  virtual std::optional<std::string> look_up(const std::string& key) = 0;
  virtual void remove(const std::string& key) = 0;
};

}  // namespace ringlab
