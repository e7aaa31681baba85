// A rank's connection to rank 0's store.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/store/key_store.h"
#include "comm/store/store_table.h"
#include "comm/transport/net.h"
#include "comm/transport/sealed_channel.h"

namespace ringlab {

/// Error of a rank whose secret rank 0 refuses.
Failure unlike(Verdict verdict);

class StoreClient : public KeyStore {
 public:
  /// Seconds for an answer, where nothing else is set.
  static constexpr double kPatience = 300;

  /// Connects and authenticates. Retries until `seconds` have passed if nothing listens, or another program does. `from`: an
  /// address of this machine to connect from, "" for the route's. Throws Failure: rendezvous_timeout; peer_disagrees if rank 0
  /// has another secret. Throws Stopped if `give_up` returns true.
  static std::unique_ptr<StoreClient> meet(const Endpoint& master, const std::string& from, const RunSecret& secret, double seconds, const std::function<bool()>& give_up);
  /// Over an open connection: the server's own.
  static std::unique_ptr<StoreClient> over(Socket socket, const RunSecret& secret);

  /// Address of this end.
  const std::string& address() const { return address_; }
  /// A longer answer is an error, as is one that is outstanding when `give_up` returns true. Waiting for keys has its own time-out.
  void set_patience(double seconds, std::function<bool()> give_up) {
    patience_ = seconds;
    give_up_ = std::move(give_up);
  }
  /// For any thread.
  void set_patience(double seconds) { patience_ = seconds; }

  void set(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override;
  bool check(const std::vector<std::string>& keys) override;
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) override;
  bool remove_key(const std::string& key) override;
  int64_t count() override;

 private:
  StoreClient(Socket socket, SealPair seals);
  /// The reply without its first byte; nothing if that is `no`.
  std::optional<std::string> ask(const FieldWriter& request, double extra_seconds = 0);

  std::mutex mutex_;
  Socket socket_;
  SealPair seals_;
  std::string address_;
  std::string broken_;  ///< why no further request is possible
  std::atomic<double> patience_ = kPatience;
  std::function<bool()> give_up_;  ///< may be empty
};

}  // namespace ringlab
