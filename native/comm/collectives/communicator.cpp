#include "comm/collectives/communicator.h"

#include <torch/csrc/distributed/c10d/comm.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "comm/collectives/backend_error.h"
#include "comm/collectives/state.h"
#include "comm/store/named_store.h"
#include "compat/c10d_version.h"

namespace ringlab {
namespace {

/// Seconds, 11 days: the time-outs of calls to the system and to the standard library are whole milliseconds or nanoseconds, which more would overflow.
constexpr double kLongestWait = 1e6;

/// Before anything is connected: are --interface and --address this machine's?
void check_local(const CommSettings& settings) {
  if (!settings.interface.empty() && !has_interface(settings.interface)) {
    throw Failure(ErrorCode::address_not_local, "--interface " + settings.interface + ": no such interface; this machine has " + interface_names());
  }
  if (settings.address.empty()) return;
  try {
    listen_on({settings.address, free_local_port()});
  } catch (const Failure&) {
    throw Failure(ErrorCode::address_not_local, "--address " + settings.address + " is not an address of this machine");
  }
}

/// Ends what a half-finished start would wait for: a store whose owner hangs never answers.
class Alarm {
 public:
  Alarm(double seconds, std::function<void()> ring) : thread_([this, seconds, ring = std::move(ring)] {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return off_; })) ring();
  }) {}
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      off_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool off_ = false;
  std::thread thread_;
};

/// Where ranks were lost. A group with a connection whose end Gloo does not notice (ExchangeGuard) ends after the group's time-out alone, and its event loop never
/// sleeps: it is taken off those connections, and the group is left to end by itself.
void leave_behind(std::unique_ptr<CommState> state) {
  const auto connections = state->connections;
  std::promise<void> ended;
  const std::future<void> end = ended.get_future();
  std::thread([state = std::move(state), ended = std::move(ended)]() mutable {
    state.reset();
    ended.set_value();
  }).detach();
  if (end.wait_for(kExchangeEnd) == std::future_status::timeout && connections) connections->end_events();
}

}  // namespace

Failure peer_lost(const CommState& state, const LostPeer& lost) {
  const std::string address = lost.rank >= 0 && lost.rank < static_cast<int>(state.addresses.size()) ? state.addresses[static_cast<size_t>(lost.rank)] : "";
  const auto place = static_cast<size_t>(lost.rank);
  const int number = lost.rank >= 0 && place < state.settings.members.size() ? state.settings.members[place] : lost.rank;
  Failure failure(ErrorCode::peer_lost, "rank " + std::to_string(number) + (address.empty() ? "" : " (" + address + ")") + " was lost: " + lost.reason,
                  "look at that rank's log; resume from the last checkpoint");
  failure.about_peer(number, address);
  return failure;
}

std::shared_ptr<KeyStore> part_of_generation(const std::shared_ptr<KeyStore>& store, int generation) {
  return generation == 0 ? store : std::make_shared<NamedStore>(store, "g" + std::to_string(generation) + "/");
}

Communicator::Communicator(CommSettings settings) : state_(std::make_unique<CommState>()) {
  state_->settings = std::move(settings);
  auto& s = *state_;
  s.settings.rendezvous_timeout = std::min(s.settings.rendezvous_timeout, kLongestWait);
  s.settings.peer_timeout = std::min(s.settings.peer_timeout, kLongestWait);
  check_local(s.settings);
  try {
    const Alarm alarm(s.settings.rendezvous_timeout + 5, [&s] {
      s.settings.on_peer_lost(Failure(ErrorCode::rendezvous_timeout, "what listens at " + s.settings.master.str() + " does not answer",
                                      "is it another program's port, or a rank 0 that hangs?"));
    });
    s.own_address = rendezvous(s);
  } catch (const Failure&) {
    // Rank 0's store must live until the others have read why.
    if (s.settings.rank == 0 && s.keys) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    throw;
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw std::move(Failure(ErrorCode::peer_lost, "rank 0 was lost during the start: " + what.substr(0, what.find('\n')), "look at rank 0's log")
                        .about_peer(0, s.settings.master.str()));
  }
  s.store = part_of_generation(s.keys->shared_store(), s.settings.generation);
  if (s.settings.goes_on) s.beats = std::make_shared<Beats>(*s.keys, s.settings.peer_timeout);
  start_heartbeat(s.settings.peer_timeout);
  const Connections::Known before = s.settings.goes_on ? Connections::open_now() : Connections::Known{};
  try {
    s.use(connect_groups(s), before);
  } catch (const std::exception& error) {
    throw explain(error.what());
  }
}

Communicator::Communicator(std::unique_ptr<CommState> met) : state_(std::move(met)) { start_heartbeat(std::min(state_->settings.peer_timeout, kMaxSilence)); }

void Communicator::connect() {
  auto& s = *state_;
  const Connections::Known before = Connections::open_now();
  s.use(connect_groups_that_are_left(s, before), before);
  s.heartbeat->set_timeout(s.settings.peer_timeout);
}

void Communicator::start_heartbeat(double timeout) {
  auto& s = *state_;
  s.board = std::make_unique<MembersBoard>(s.store, s.lost);
  const auto on_lost = [&s](const LostPeer& lost) {
    if (s.connected || s.settings.generation > 0) {
      s.end_exchanges(steady_seconds());
      return;
    }
    // The main thread usually sees Gloo's error first and reports itself.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (s.reporting.exchange(true)) return;
    s.settings.on_peer_lost(peer_lost(s, lost));
  };
  // When every rank has both its connections no further process needs rank 0's port.
  const auto open_store = [&s](std::function<bool()> closing) -> std::unique_ptr<KeyStore> {
    // A store that does not answer for the time-out is a lost rank 0, which the watchdog says: until then a question waits.
    if (!s.beats) return s.keys->another(kStoreSeconds, std::max(kStoreSeconds, s.settings.peer_timeout), std::move(closing));
    return std::make_unique<NamedStore>(s.beats->store, s.settings.generation == 0 ? "" : "g" + std::to_string(s.settings.generation) + "/");
  };
  s.heartbeat = std::make_unique<Heartbeat>(open_store, s.settings.rank, s.settings.world_size, timeout, on_lost,
                                            [&s] { s.keys->close_port(); });
}

Communicator::~Communicator() {
  if (!state_) return;
  if (state_->beats && !state_->beats_go_on) state_->beats->give_up = true;
  // Heartbeat first: its threads look at the rest.
  state_->heartbeat.reset();
  if (state_->lost) leave_behind(std::move(state_));
}

bool communicator_has_nccl() { return compat::has_nccl(); }

int Communicator::rank() const { return state_->settings.rank; }
int Communicator::world_size() const { return state_->settings.world_size; }

Board& Communicator::board() { return *state_->board; }

std::string Communicator::address_of(int rank) const {
  const auto index = static_cast<size_t>(rank);
  return index < state_->addresses.size() ? state_->addresses[index] : "";
}

CollectiveThread& Communicator::thread() { return state_->thread; }

Traffic Communicator::traffic() const { return {state_->bytes.load(), state_->bytes.load()}; }

bool Communicator::has_lost() const { return state_->lost; }

bool Communicator::fails_alone(const std::exception& error) const {
  const bool of_exchange = dynamic_cast<const ExchangeFailure*>(&error) != nullptr || dynamic_cast<const StoreError*>(&error) != nullptr;
  return !state_->lost && !of_exchange;
}

Failure Communicator::explain(const std::string& what) {
  if (state_->reporting.exchange(true)) {
    // The watchdog is about to end the process with its own report.
    std::this_thread::sleep_for(std::chrono::seconds(5));
  }
  Failure failure = backend_failure(what);
  if (failure.code() != ErrorCode::peer_lost) return failure;
  const auto lost = state_->heartbeat ? state_->heartbeat->wait_for_verdict(state_->verdict_seconds()) : std::nullopt;
  if (lost) return peer_lost(*state_, *lost);
  return failure;
}

void Communicator::leave(const std::string& reason) {
  if (state_->ended) return;
  state_->ended = true;
  state_->reporting = true;
  if (state_->heartbeat) state_->heartbeat->leave(reason);
}

void Communicator::finish() {
  if (state_->ended) return;
  barrier();
  if (state_->cuda_group) compat::end_nccl(state_->cuda_group);
  state_->ended = true;
  state_->reporting = true;
  state_->heartbeat->finish();
}

}  // namespace ringlab
