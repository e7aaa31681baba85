// Interface of the key-value store that all ranks of a run read and write, kept by rank 0, whatever implements it (rank 0's own
// server or a launcher's).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/store/board.h"

namespace ringlab {

/// The store is gone, does not answer, or refuses a request.
struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thread-safe. Every method throws StoreError.
class KeyStore : public Board {
 public:
  virtual void set(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;
  /// A missing key counts as 0; the value is stored as decimal text. Returns the sum.
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  /// Compare-and-set: sets `desired` if the value is `expected`, or if it is missing and `expected` is empty. Returns the
  /// resulting value.
  virtual std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) = 0;
  /// Do all of them exist?
  virtual bool check(const std::vector<std::string>& keys) = 0;
  /// As above, after they all exist or the time-out.
  virtual bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) = 0;
  virtual bool remove_key(const std::string& key) = 0;
  virtual int64_t count() = 0;

  void post(const std::string& key, const std::string& text) override { set(key, text); }
  std::optional<std::string> look_up(const std::string& key) override { return get(key); }
  void remove(const std::string& key) override { remove_key(key); }
};

}  // namespace ringlab
