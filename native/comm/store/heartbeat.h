// Detects a lost peer within seconds. Gloo alone would wait for its time-out when a link goes down.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comm/store/key_store.h"

namespace ringlab {

struct LostPeer {
  int rank = -1;  ///< also this rank itself, where the others do not hear it any more
  std::string reason;
  bool ended = false;  ///< its process is known to have ended: only ever of rank 0
};

/// Every rank increments its own key in rank 0's store four times a second, over a separate connection. Rank 0 reads all counters
/// and publishes one lost rank, so that all survivors name the same one; the others consider rank 0 lost if its store does not
/// answer. A rank that was itself suspended (a stopped process, a busy machine) reports no peer as lost for that time.
class Heartbeat {
 public:
  /// Opens a connection whose questions are given up when the argument returns true: at the end, an answer may be outstanding.
  using OpenStore = std::function<std::unique_ptr<KeyStore>(std::function<bool()> closing)>;

  /// `open_store` returns a connection to rank 0's store that nothing else uses, and that waits for an answer as long as the time-out at least; throws if there is none. `on_lost` runs at most
  /// once, in the watchdog's thread. `all_here` runs on rank 0, once, after the first heartbeat of every rank.
  Heartbeat(OpenStore open_store, int rank, int world_size, double timeout_seconds, std::function<void(const LostPeer&)> on_lost,
            std::function<void()> all_here = {});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// After a failed collective: one second without heartbeats is now enough. Waits for the verdict, at most `seconds`.
  std::optional<LostPeer> wait_for_verdict(double seconds);
  /// Has rank 0's process ended, as LostPeer::ended, whoever else is lost? Where its store has just closed a connection it is known within `seconds`.
  bool has_first_ended(double seconds);
  /// Publishes that this rank leaves, and why; rank 0 stays until the others had time to read it.
  void leave(const std::string& reason);
  /// The run has ended on this rank: rank 0 waits until every rank has reported its end (at most 5 s).
  void finish();
  /// Seconds of silence after which a rank is lost, from now on.
  void set_timeout(double seconds);

 private:
  void beat();
  void watch();
  void judge(KeyStore& store);
  void set_lost(int rank, const std::string& reason, bool ended);
  void stop_threads();

  const OpenStore open_store_;
  const int rank_;
  const int world_size_;
  const std::function<void(const LostPeer&)> on_lost_;
  std::function<void()> all_here_;  ///< empty after it has run

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  double timeout_;
  std::vector<double> seen_;  ///< rank 0: when each counter last changed; others: seen_[0] is the store's last answer
  double answered_ = 0;       ///< others: the store's last answer on a clock that counts a suspended machine's time, too
  std::vector<int64_t> counters_;
  std::optional<LostPeer> lost_;
  std::optional<bool> first_ended_;  ///< others: once their connection to the store is closed
  std::string leaving_;      ///< reason to publish
  bool suspicious_ = false;  ///< a collective failed somewhere
  bool published_ = false;   ///< the reason is in the store
  bool finishing_ = false;
  bool done_ = false;     ///< this rank's end is known and, on rank 0, that of all
  bool closing_ = false;  ///< ends the threads
  std::thread beat_thread_;
  std::thread watch_thread_;
};

}  // namespace ringlab
