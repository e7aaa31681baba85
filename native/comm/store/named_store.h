// A part of a store: keys that begin with a name.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/store/key_store.h"

namespace ringlab {

class NamedStore : public KeyStore {
 public:
  /// Other parts may share `store`.
  NamedStore(std::shared_ptr<KeyStore> store, std::string prefix) : store_(std::move(store)), prefix_(std::move(prefix)) {}
  void set(const std::string& key, const std::string& value) override { store_->set(prefix_ + key, value); }
  std::optional<std::string> get(const std::string& key) override { return store_->get(prefix_ + key); }
  int64_t add(const std::string& key, int64_t amount) override { return store_->add(prefix_ + key, amount); }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    return store_->compare_set(prefix_ + key, expected, desired);
  }
  bool check(const std::vector<std::string>& keys) override { return store_->check(named(keys)); }
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) override { return store_->wait(named(keys), timeout); }
  bool remove_key(const std::string& key) override { return store_->remove_key(prefix_ + key); }
  int64_t count() override { return store_->count(); }

 private:
  std::vector<std::string> named(std::vector<std::string> keys) const {
    for (auto& key : keys) key.insert(0, prefix_);
    return keys;
  }
  std::shared_ptr<KeyStore> store_;
  std::string prefix_;
};

}  // namespace ringlab
