// Internal to comm/: the ranks' store with the interface that c10d's groups need.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/store/key_store.h"

namespace ringlab {

class RunStore : public c10d::Store {
 public:
  explicit RunStore(std::shared_ptr<KeyStore> store, std::chrono::milliseconds timeout = kDefaultTimeout) : c10d::Store(timeout), store_(std::move(store)) {}

  using c10d::Store::compareSet;
  using c10d::Store::set;
  void set(const std::string& key, const std::vector<uint8_t>& value) override { store_->set(key, text(value)); }
  std::vector<uint8_t> compareSet(const std::string& key, const std::vector<uint8_t>& expected, const std::vector<uint8_t>& desired) override {
    return bytes(store_->compare_set(key, text(expected), text(desired)));
  }
  /// Blocks until the key exists.
  std::vector<uint8_t> get(const std::string& key) override {
    wait({key}, timeout_);
    const auto value = store_->get(key);
    if (!value) throw StoreError("'" + key + "' is gone again");
    return bytes(*value);
  }
  int64_t add(const std::string& key, int64_t amount) override { return store_->add(key, amount); }
  bool deleteKey(const std::string& key) override { return store_->remove_key(key); }
  bool check(const std::vector<std::string>& keys) override { return store_->check(keys); }
  int64_t getNumKeys() override { return store_->count(); }
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + timeout;
    // In short intervals: other threads use the same connection.
    constexpr auto kPiece = std::chrono::milliseconds(500);
    while (timeout != kNoTimeout) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) throw StoreError("'" + (keys.empty() ? std::string() : keys.front()) + "' did not come in time");
      if (store_->wait(keys, std::min(left, kPiece))) return;
    }
    while (!store_->wait(keys, kPiece)) {}
  }
  /// Virtual in the base class since 2.7.
  c10::intrusive_ptr<c10d::Store> clone() { return c10::make_intrusive<RunStore>(store_, timeout_); }

 private:
  static std::string text(const std::vector<uint8_t>& value) { return {value.begin(), value.end()}; }
  static std::vector<uint8_t> bytes(const std::string& value) { return {value.begin(), value.end()}; }

  std::shared_ptr<KeyStore> store_;
};

}  // namespace ringlab
