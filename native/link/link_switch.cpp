#include "link/link_switch.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "base/error.h"

namespace ringlab {
namespace {

/// A frame of 64 KiB with its header: no device's MTU is larger.
constexpr size_t kMaxFrame = 65'536 + 64;
/// Frames that one device may send before the others have their turn.
constexpr int kTurn = 64;
constexpr int kEvents = 64;

int64_t now_ns() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] void fail(const char* what) { throw Failure(ErrorCode::internal, std::string("link: ") + what + ": " + std::strerror(errno)); }

void watch(const Descriptor& poll, int number, void* about) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = about;
  if (epoll_ctl(poll.number(), EPOLL_CTL_ADD, number, &event) != 0) fail("epoll_ctl");
}

}  // namespace

LinkSwitch::Link::Link(LinkRow wanted, Descriptor first, Descriptor second, uint64_t seed)
    : row(std::move(wanted)),
      taps{std::move(first), std::move(second)},
      lines{DelayLine(row.delay, Stream{seed, 0}), DelayLine(row.delay, Stream{seed, 1})},
      ends{End{this, 0}, End{this, 1}} {}

LinkSwitch::LinkSwitch() : poll_(epoll_create1(EPOLL_CLOEXEC)), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)), buffer_(kMaxFrame) {
  if (!poll_) fail("epoll_create1");
  if (!timer_) fail("timerfd_create");
  watch(poll_, timer_.number(), nullptr);
}

void LinkSwitch::join(const std::vector<LinkRow>& table) {
  // A network that was removed and raised again has new devices of the same names.
  for (auto& link : links_) link->gone = link->gone || !is_attached(link->taps[0]) || !is_attached(link->taps[1]);
  remove_gone();
  std::vector<std::unique_ptr<Link>> opened;
  std::vector<std::pair<Link*, LinkDelay>> kept;
  std::random_device random;
  for (const auto& row : table) {
    const auto same = std::find_if(links_.begin(), links_.end(), [&](const auto& link) { return link->row.joins_as(row); });
    if (same != links_.end()) {
      kept.emplace_back(same->get(), row.delay);
      continue;
    }
    const uint64_t seed = (uint64_t{random()} << 32) | random();
    Descriptor first = open_tap(row.namespaces[0], row.device);
    opened.push_back(std::make_unique<Link>(row, std::move(first), open_tap(row.namespaces[1], row.device), seed));
  }
  // From here on nothing fails but for lack of memory.
  for (auto& link : links_) link->gone = true;
  for (auto& [link, delay] : kept) {
    link->gone = false;
    link->row.delay = delay;
    for (auto& line : link->lines) line.set(delay);
  }
  remove_gone();
  for (auto& link : opened) {
    for (size_t side = 0; side < 2; ++side) watch(poll_, link->taps[side].number(), &link->ends[side]);
    links_.push_back(std::move(link));
  }
}

/// Closing a descriptor takes it out of epoll.
void LinkSwitch::remove_gone() {
  links_.erase(std::remove_if(links_.begin(), links_.end(), [](const auto& link) { return link->gone; }), links_.end());
}

void LinkSwitch::read(End& end) {
  const auto side = static_cast<size_t>(end.side);
  for (int turn = 0; turn < kTurn; ++turn) {
    const ssize_t size = ::read(end.link->taps[side].number(), buffer_.data(), buffer_.size());
    if (size > 0) {
      end.link->lines[side].push(now_ns(), buffer_.data(), static_cast<size_t>(size));
      continue;
    }
    // EBADFD: the device was deleted. A device that is down only has nothing to read.
    if (size < 0 && errno != EAGAIN && errno != EINTR && errno != EIO) end.link->gone = true;
    return;
  }
}

void LinkSwitch::deliver() {
  const int64_t now = now_ns();
  for (auto& link : links_) {
    for (size_t side = 0; side < 2; ++side) {
      DelayLine& line = link->lines[side];
      while (line.due() && *line.due() <= now) {
        // A device that is down, or whose queue is full, loses the frame as a cable does.
        [[maybe_unused]] const ssize_t written = write(link->taps[1 - side].number(), line.front().data(), line.front().size());
        line.pop();
      }
    }
  }
}

void LinkSwitch::set_timer() {
  std::optional<int64_t> first;
  for (const auto& link : links_) {
    for (const auto& line : link->lines) {
      if (line.due()) first = first ? std::min(*first, *line.due()) : *line.due();
    }
  }
  itimerspec spec{};
  if (first) {
    // A time of zero would switch the timer off.
    const int64_t at = std::max<int64_t>(1, *first);
    spec.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
    spec.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
  }
  if (timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &spec, nullptr) != 0) fail("timerfd_settime");
}

void LinkSwitch::run(int wake) {
  // Known by an address that no end has.
  watch(poll_, wake, this);
  bool awake = false;
  while (!awake && !links_.empty()) {
    set_timer();
    epoll_event events[kEvents];
    const int many = epoll_wait(poll_.number(), events, kEvents, -1);
    if (many < 0 && errno != EINTR) fail("epoll_wait");
    for (int at = 0; at < many; ++at) {
      void* about = events[at].data.ptr;
      if (about == this) awake = true;
      else if (about == nullptr) {
        uint64_t times = 0;
        [[maybe_unused]] const ssize_t drained = ::read(timer_.number(), &times, sizeof times);
      } else read(*static_cast<End*>(about));
    }
    deliver();
    remove_gone();
  }
  epoll_ctl(poll_.number(), EPOLL_CTL_DEL, wake, nullptr);
}

}  // namespace ringlab
