// Inside comm/ only: the c10d objects behind a Communicator.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/collective_thread.h"
#include "comm/collectives/communicator.h"
#include "comm/collectives/exchange_guard.h"
#include "comm/collectives/groups.h"
#include "comm/store/heartbeat.h"
#include "comm/store/key_store.h"
#include "comm/store/run_keys.h"
#include "comm/transport/connections.h"

namespace ringlab {

/// To connect to a store that is known to be there, and for an answer of it.
constexpr double kStoreSeconds = 10;
constexpr double kMaxVerdictSeconds = 60;
/// Without a heartbeat while the ranks that are left meet and connect: nothing else is on the network then. Seconds.
constexpr double kMaxSilence = 10;

/// How long the exchanges of a group, and its own end, usually take at the most once its connections are shut down.
constexpr std::chrono::seconds kExchangeEnd{1};

/// Once a rank is lost nobody answers its notes.
class MembersBoard : public Board {
 public:
  MembersBoard(std::shared_ptr<KeyStore> store, const std::atomic<bool>& lost) : store_(std::move(store)), lost_(lost) {}
  void post(const std::string& key, const std::string& text) override { store().post(key, text); }
  std::optional<std::string> look_up(const std::string& key) override { return store().look_up(key); }
  void remove(const std::string& key) override { store().remove(key); }

 private:
  KeyStore& store() const {
    if (lost_) throw StoreError("a rank was lost");
    return *store_;
  }
  std::shared_ptr<KeyStore> store_;
  const std::atomic<bool>& lost_;
};

/// A connection for heartbeats, which generations with one keeper share.
struct Beats {
  /// A question is answered within `peer_timeout`, or its keeper is lost, which the watchdog says.
  Beats(const RunKeys& keys, double peer_timeout) : store(keys.another(kStoreSeconds, std::max(kStoreSeconds, peer_timeout), [this] { return give_up.load(); })) {}
  std::atomic<bool> give_up{false};  ///< no question is waited for any more
  std::shared_ptr<KeyStore> store;
};

struct CommState {
  CommSettings settings;
  std::shared_ptr<RunKeys> keys;    ///< generations with one keeper share them
  std::shared_ptr<KeyStore> store;  ///< this generation's keys
  std::atomic<bool> lost{false};
  std::unique_ptr<MembersBoard> board;
  std::vector<std::string> addresses;  ///< of every rank
  std::string own_address;
  // With goes_on:
  std::shared_ptr<Beats> beats;
  bool beats_go_on = false;          ///< the next generation has them, too
  Socket reserved;                   ///< of this rank's own endpoint in `successors`
  std::vector<Endpoint> successors;  ///< where each rank would keep the store
  std::shared_ptr<const Connections> connections;  ///< the group's; complete once `connected`, as the next
  std::atomic<bool> connected{false};
  std::atomic<double> lost_at{0};    ///< steady clock, seconds
  std::unique_ptr<Heartbeat> heartbeat;
  std::shared_ptr<ExchangeGuard> guard;               ///< of both Gloo groups
  c10::intrusive_ptr<c10d::ProcessGroup> group;       ///< Gloo
  c10::intrusive_ptr<c10d::ProcessGroup> control;     ///< Gloo, or null: see CommSettings
  c10::intrusive_ptr<c10d::ProcessGroup> cuda_group;  ///< NCCL, or null: then Gloo takes CUDA tensors too
  std::atomic<int64_t> bytes{0};           ///< sent; a ring receives as much
  std::atomic<bool> reporting{false};      ///< one of main thread and watchdog reports a loss
  bool ended = false;                      ///< left or finished
  CollectiveThread thread;                 ///< last: its jobs use the rest

  /// Of groups whose connections are those since `before`.
  void use(Groups groups, const Connections::Known& before) {
    guard = std::move(groups.guard);
    group = std::move(groups.gloo);
    control = std::move(groups.control);
    cuda_group = std::move(groups.nccl);
    if (!settings.goes_on) return;
    connections = std::make_shared<const Connections>(before, [this](const Socket& socket) { return keys->carries(socket); });
    connected = true;
  }

  /// Those to the store, where another rank keeps it.
  Connections to_keeper() const { return {{}, [this](const Socket& socket) { return !keys->carries(socket); }}; }

  const c10::intrusive_ptr<c10d::ProcessGroup>& group_for(const at::Tensor& tensor) const { return tensor.is_cuda() && cuda_group ? cuda_group : group; }

  /// Calls `run`, which issues an exchange of `tensor` or waits for it, where no guard gives NCCL's errors the type of an exchange's.
  template <typename Run>
  void exchange(const at::Tensor& tensor, Run&& run) const {
    if (!tensor.is_cuda() || !cuda_group) return run();
    try {
      run();
    } catch (...) {
      std::rethrow_exception(exchange_failure(std::current_exception()));
    }
  }

  /// Ends what waits for the lost rank.
  void end_exchanges(double now) {
    if (!lost.exchange(true)) lost_at = now;
    if (!connected) return;
    connections->shut_down();
    guard->end(kExchangeEnd, [connections = connections] { connections->end_events(); });
  }

  /// How long to wait for the watchdog's verdict on a failed exchange: seconds. A time-out of an hour (a link that may be down for so long) is for ranks that are silent: here one
  /// second of silence is enough, so that where nobody is found lost the connection itself broke.
  double verdict_seconds() const { return std::min(settings.peer_timeout, kMaxVerdictSeconds) + 0.4; }

  /// A ring all-reduce of `payload` bytes sends 2 (W - 1) / W of it from each rank.
  void count_allreduce(int64_t payload) { bytes += 2 * payload * (settings.world_size - 1) / settings.world_size; }
};

/// Meets the other ranks at rank 0's store: fills keys and addresses. Throws as Communicator's constructor does.
/// With goes_on also reserves this rank's port and fills successors. Returns this rank's address.
std::string rendezvous(CommState& state);

/// This generation's part of a store; all of it for the first one.
std::shared_ptr<KeyStore> part_of_generation(const std::shared_ptr<KeyStore>& store, int generation);

/// The error for `lost`.
Failure peer_lost(const CommState& state, const LostPeer& lost);

}  // namespace ringlab
