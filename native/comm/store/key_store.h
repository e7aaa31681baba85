// Notes by key that all ranks of a run read and write. Rank 0 keeps them. The one place that says what a store can do: whatever
// the ranks meet at (rank 0's own server, a launcher's) stands behind it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/store/board.h"

namespace ringlab {

/// The store is gone, does not answer, or refuses what was asked.
struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Safe from every thread. Every method throws StoreError.
class KeyStore : public Board {
 public:
  virtual void set(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;
  /// A missing key counts as 0; the value is kept as decimal text. Returns the sum.
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  /// Sets `desired` where the value is `expected`, or where there is none and `expected` is empty. Returns what it is then.
  virtual std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) = 0;
  /// Are all of them there?
  virtual bool check(const std::vector<std::string>& keys) = 0;
  /// The same, when they are or when the time is over.
  virtual bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) = 0;
  virtual bool remove_key(const std::string& key) = 0;
  virtual int64_t count() = 0;

  void post(const std::string& key, const std::string& text) override { set(key, text); }
  std::optional<std::string> look_up(const std::string& key) override { return get(key); }
  void remove(const std::string& key) override { remove_key(key); }
};

}  // namespace ringlab
