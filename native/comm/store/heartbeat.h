// Notices within seconds that a peer is gone. Gloo alone would wait for its time-out when a link goes down.
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
  int rank = -1;
  std::string reason;
};

/// Every rank counts up its own key in rank 0's store, four times a second, over a separate connection. Rank 0 reads
/// all counters and publishes one lost rank, so that all survivors name the same one; the others consider rank 0 lost when
/// its store does not answer. A rank that was itself held up (a stopped process, a busy machine) reports no peer as lost for that time.
class Heartbeat {
 public:
  /// `open_store` gives a connection to rank 0's store that nothing else uses; throws where there is none. `on_lost` runs at most once,
  /// in the watchdog's thread. `all_here` runs on rank 0, once, after the first heartbeat of every rank.
  Heartbeat(std::function<std::unique_ptr<KeyStore>()> open_store, int rank, int world_size, double timeout_seconds, std::function<void(const LostPeer&)> on_lost,
            std::function<void()> all_here = {});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// After a failed collective: a silence of one second is enough now. Waits for the result, at most `seconds`.
  std::optional<LostPeer> wait_for_verdict(double seconds);
  /// Publishes that this rank leaves, and why; on rank 0 stays until the others had time to read it.
  void leave(const std::string& reason);
  /// The run has ended on this rank: rank 0 waits until every rank has reported its end (at most 5 s).
  void finish();

 private:
  void beat();
  void watch();
  void judge(KeyStore& store);
  void set_lost(int rank, const std::string& reason);
  void stop_threads();

  const std::function<std::unique_ptr<KeyStore>()> open_store_;
  const int rank_;
  const int world_size_;
  const double timeout_;
  const std::function<void(const LostPeer&)> on_lost_;
  std::function<void()> all_here_;  ///< empty once it has run

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> seen_;  ///< rank 0: when each counter last moved; others: seen_[0] is the store's last answer
  std::vector<int64_t> counters_;
  std::optional<LostPeer> lost_;
  std::string leaving_;      ///< reason to publish
  bool suspicious_ = false;  ///< a collective failed somewhere
  bool published_ = false;   ///< the leaving is in the store
  bool finishing_ = false;
  bool done_ = false;     ///< this rank's and, on rank 0, everyone's end is known
  bool closing_ = false;  ///< threads, end
  std::thread beat_thread_;
  std::thread watch_thread_;
};

}  // namespace ringlab
