#include "comm/store/heartbeat.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <utility>

#include "base/clock.h"

namespace ringlab {
namespace {

constexpr double kBeatSeconds = 0.25;
constexpr double kWatchSeconds = 0.1;
constexpr double kLateSeconds = 0.25;
constexpr double kSuspiciousSeconds = 1.0;
constexpr double kFreshSeconds = 1.0;  ///< no rank is lost to the others in less
constexpr double kFreshPairSeconds = 5.0;  ///< of two ranks: no third one can be part of what the first did without this one
constexpr double kLingerSeconds = 0.8;  ///< rank 0's store outlives its verdict by more than three heartbeats

double seconds_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A look that comes `late` seconds after its time: this process was suspended, or waited for a CPU, and its store's thread with it. That time is nobody's silence.
void skip_lateness(double& seen, double time, double late) {
  if (late > kLateSeconds) seen = std::min(time, seen + late);
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

}  // namespace

Heartbeat::Heartbeat(OpenStore open_store, int rank, int world_size, double timeout_seconds,
                     std::function<void(const LostPeer&)> on_lost, std::function<void()> all_here)
    : open_store_(std::move(open_store)),
      rank_(rank),
      world_size_(world_size),
      on_lost_(std::move(on_lost)),
      all_here_(std::move(all_here)),
      timeout_(timeout_seconds),
      seen_(static_cast<size_t>(world_size), steady_seconds()),
      counters_(static_cast<size_t>(world_size), 0) {
  beat_thread_ = std::thread([this] { beat(); });
  try {
    watch_thread_ = std::thread([this] { watch(); });
  } catch (...) {
    stop_threads();  // no destructor runs, and a thread that is not joined ends the process without a word
    throw;
  }
}

Heartbeat::~Heartbeat() { stop_threads(); }

void Heartbeat::stop_threads() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (beat_thread_.joinable()) beat_thread_.join();
  if (watch_thread_.joinable()) watch_thread_.join();
}

void Heartbeat::set_lost(int rank, const std::string& reason, bool ended) {
  const std::lock_guard lock(mutex_);
  if (lost_ || done_) return;
  if (rank == rank_ && !leaving_.empty()) return;  // its own word
  lost_ = LostPeer{rank, reason, ended};
  changed_.notify_all();
}

/// The store's thread: counts, reads, publishes. It blocks here if the store does not answer, which watch() notices.
void Heartbeat::beat() {
  std::unique_ptr<KeyStore> store;
  bool finish_sent = false;
  bool suspicion_sent = false;
  try {
    store = open_store_([this] {
      const std::lock_guard lock(mutex_);
      return closing_;
    });
    double last = steady_seconds();
    // What a round takes beside its pause: a launcher's store is asked over the network.
    double quickest = std::numeric_limits<double>::infinity();
    while (true) {
      store->add("beat/" + std::to_string(rank_), 1);
      std::unique_lock lock(mutex_);
      const double time = steady_seconds();
      const double asking = time - last - kBeatSeconds;
      if (rank_ == 0) {
        for (auto& seen : seen_) skip_lateness(seen, time, asking - quickest);
      }
      quickest = std::min(quickest, std::max(0.0, asking));
      last = time;
      lock.unlock();
      judge(*store);
      lock.lock();
      if (suspicious_ && !suspicion_sent) {
        suspicion_sent = true;
        lock.unlock();
        store->add("beat/suspicion", 1);
        lock.lock();
      }
      if (!leaving_.empty() && !published_) {
        const std::string text = std::to_string(rank_) + "\n" + leaving_;
        lock.unlock();
        store->compare_set("beat/verdict", "", text);
        lock.lock();
        published_ = true;
        changed_.notify_all();
      }
      if (finishing_) {
        lock.unlock();
        const int64_t finished = store->add("beat/finished", finish_sent ? 0 : 1);
        finish_sent = true;
        lock.lock();
        if (rank_ != 0 || finished >= world_size_) {
          done_ = true;
          changed_.notify_all();
        }
      }
      if (closing_ || done_) return;
      changed_.wait_for(lock, std::chrono::duration<double>(kBeatSeconds), [this, finish_sent] {
        return closing_ || (finishing_ && !finish_sent) || (!leaving_.empty() && !published_);
      });
      if (closing_) return;
    }
  } catch (const std::exception& error) {
    bool fresh = false;
    {
      const std::lock_guard lock(mutex_);
      published_ = true;
      // A silent store's time-out is longer. After a longer pause of this process the others may have gone on without it.
      fresh = seconds_since_boot() - answered_ <= (world_size_ == 2 ? kFreshPairSeconds : std::min(kFreshSeconds, timeout_));
      first_ended_ = fresh;
      if (closing_ || finishing_) {
        done_ = true;  // rank 0 may close its store as soon as it sees that all are done
        changed_.notify_all();
        return;
      }
      changed_.notify_all();
    }
    if (rank_ != 0) set_lost(0, "its store closed the connection", fresh);
  }
}

/// Reads the others' notes; on rank 0 also their heartbeats, and publishes the verdict.
void Heartbeat::judge(KeyStore& store) {
  if (const auto text = store.get("beat/verdict")) {
    const size_t end = text->find('\n');
    const int rank = std::atoi(text->c_str());
    // It may be this one, which was not heard: the others go on without it, and Gloo does not always notice what they have closed. Rank 0 is named by itself alone: it leaves.
    if (end != std::string::npos) set_lost(rank, text->substr(end + 1), rank == 0);
  }
  if (rank_ != 0) {
    const std::lock_guard lock(mutex_);
    seen_[0] = steady_seconds();
    answered_ = seconds_since_boot();
    return;
  }
  const bool suspicion = store.add("beat/suspicion", 0) > 0;
  int silent = -1;
  int heard = 1;
  double silence = 0;
  for (int peer = 1; peer < world_size_; ++peer) {
    const int64_t counter = store.add("beat/" + std::to_string(peer), 0);
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<size_t>(peer);
    if (counter != counters_[index]) {
      counters_[index] = counter;
      seen_[index] = steady_seconds();
    }
    if (counter > 0) ++heard;
    const double age = steady_seconds() - seen_[index];
    if (age > silence) {
      silence = age;
      silent = peer;
    }
  }
  if (heard == world_size_ && all_here_) std::exchange(all_here_, {})();
  bool finishing = false;
  double timeout = 0;
  {
    const std::lock_guard lock(mutex_);
    finishing = finishing_ || lost_.has_value();
    timeout = timeout_;
  }
  if (!finishing && silent > 0 && silence > (suspicion ? std::min(kSuspiciousSeconds, timeout) : timeout)) {
    const std::string reason = "no heartbeat for " + seconds_text(silence);
    store.compare_set("beat/verdict", "", std::to_string(silent) + "\n" + reason);
    set_lost(silent, reason, false);
  }
}

/// Notices a store that does not answer, and passes the verdict to `on_lost_`.
void Heartbeat::watch() {
  std::unique_lock lock(mutex_);
  double last = steady_seconds();
  bool reported = false;
  while (!closing_) {
    changed_.wait_for(lock, std::chrono::duration<double>(kWatchSeconds), [this, reported] { return closing_ || (lost_ && !reported); });
    if (closing_) return;
    const double time = steady_seconds();
    skip_lateness(seen_[0], time, time - last - kWatchSeconds);
    last = time;
    if (rank_ != 0 && !lost_ && !done_ && !finishing_) {
      const double silence = time - seen_[0];
      if (silence > timeout_) lost_ = LostPeer{0, "its store did not answer for " + seconds_text(silence), false};
    }
    if (lost_ && !reported) {
      reported = true;
      changed_.notify_all();
      if (on_lost_) {
        const LostPeer lost = *lost_;
        lock.unlock();
        on_lost_(lost);
        lock.lock();
      }
    }
  }
}

std::optional<LostPeer> Heartbeat::wait_for_verdict(double seconds) {
  std::unique_lock lock(mutex_);
  suspicious_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return lost_.has_value(); });
  return lost_;
}

bool Heartbeat::has_first_ended(double seconds) {
  std::unique_lock lock(mutex_);
  if (lost_ && lost_->rank == 0) return lost_->ended;
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return first_ended_.has_value(); });
  return first_ended_.value_or(false);
}

void Heartbeat::leave(const std::string& reason) {
  std::unique_lock lock(mutex_);
  if (done_) return;
  if (!lost_) {
    leaving_ = reason;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return published_; });
  }
  if (rank_ == 0) changed_.wait_for(lock, std::chrono::duration<double>(kLingerSeconds), [] { return false; });
}

void Heartbeat::set_timeout(double seconds) {
  const std::lock_guard lock(mutex_);
  timeout_ = seconds;
}

void Heartbeat::finish() {
  {
    std::unique_lock lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(5), [this] { return done_; });
  }
  stop_threads();
}

}  // namespace ringlab
