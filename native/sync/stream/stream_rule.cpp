#include "sync/stream/stream_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace ringlab {
namespace {

/// Bits change by this factor: with less, noise of the clock would change them often.
constexpr double kStep = 1.3;
/// So many bits after every step learned as well as all-reduce, 0.135 and fewer did not, nor did longer periods (docs/slow-links.md): over a link where these do
/// not hide a run waits, unless it began with less.
constexpr double kEnoughBits = 0.145;
/// Three exchanges in a row that take so many times as long as computing are judged at once.
constexpr double kMuchSlower = 2;
constexpr size_t kUrgent = 3;
/// What an exchange may take of computing before less is sent, what it is expected to take then, and below what more is sent: where it must hide, and
/// where it may cost time so that more is learned.
struct Price {
  double max, aimed, room;
};
constexpr Price kHidden{1.1, 0.9, 0.7};
constexpr Price kPaid{1.5, 1.35, 0.9};
const Price& price_of(const StreamPace& pace) { return pace.period == 1 && pace.bits > kEnoughBits ? kHidden : kPaid; }
/// How many times `max_bits` what is learned is worth.
constexpr double kForLearning = 4;
/// Guesses on the safe side: no run that was measured came near them (docs/slow-links.md, 'What auto watches').
constexpr double kMinArrived = 0.01;
constexpr double kMaxDistance = 0.5;
/// The loss has risen where two windows in a row are above the best one by this factor and this much, their noise aside: of small batches the best of many windows is
/// far below the mean. So many standard errors a window's mean may be too low, or too high.
constexpr double kRisen = 1.2;
constexpr double kRisenBy = 0.1;
constexpr int kRising = 2;
constexpr double kTooLow = 3;
constexpr double kTooHigh = 2;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Not a number where all are none.
template <typename Of>
double median(const std::vector<StreamSigns>& all, const Of& of) {
  std::vector<double> values;
  for (const auto& one : all) {
    if (std::isfinite(of(one))) values.push_back(of(one));
  }
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of computing, that an exchange takes.
double taken(const StreamSigns& signs) { return signs.exchange_seconds / std::max(signs.hiding_seconds, 1e-6); }

/// An exchange's bytes follow its bits, and what hides it the steps that overlap.
double taken_at(const StreamPace& to, const StreamPace& from, double taken) {
  return taken * (to.bits / from.bits) * (static_cast<double>(from.overlap) / static_cast<double>(to.overlap));
}

}  // namespace

std::string StreamPace::text() const {
  char out[96];
  std::snprintf(out, sizeof out, "local:%d,stream=%.3g,overlap=%d", period, bits, overlap);
  return out;
}

const char* name_of(StreamReason reason) {
  switch (reason) {
    case StreamReason::link_slower: return "link_slower";
    case StreamReason::link_faster: return "link_faster";
    case StreamReason::little_arrives: return "little_arrives";
    case StreamReason::far_apart: return "far_apart";
    case StreamReason::loss_rises: return "loss_rises";
  }
  return "";
}

StreamRule::StreamRule(const StreamPace& start, double max_bits)
    : pace_(start), max_bits_(std::max(max_bits, start.bits)), min_bits_(std::min(start.bits, kEnoughBits)), max_period_(start.period), best_loss_(kInfinite) {}

std::optional<StreamPace> StreamRule::finer(const StreamPace& pace, double max_bits) const {
  if (pace.period > 1) return StreamPace{pace.period / 2, pace.period / 2, pace.bits};
  if (pace.bits >= max_bits) return std::nullopt;
  const double bits = std::min(max_bits, pace.bits * kStep);
  return StreamPace{1, 1, pace.bits < kEnoughBits ? std::min(bits, kEnoughBits) : bits};
}

std::optional<StreamPace> StreamRule::coarser(const StreamPace& pace) const {
  if (pace.period == 1 && pace.bits > min_bits_) return StreamPace{1, 1, std::max(pace.bits > kEnoughBits ? kEnoughBits : min_bits_, pace.bits / kStep)};
  if (2 * pace.period > max_period_) return std::nullopt;
  return StreamPace{2 * pace.period, 2 * pace.period, pace.bits};
}

std::optional<StreamChange> StreamRule::see(const StreamSigns& signs) {
  if (skip_ > 0) {
    --skip_;
    return std::nullopt;
  }
  window_.push_back(signs);
  auto change = judge();
  if (change) begin_anew(change->to);
  else if (window_.size() >= kWindow) window_.clear();
  return change;
}

void StreamRule::begin_anew(const StreamPace& pace) {
  pace_ = pace;
  skip_ = kSkipped;
  best_loss_ = kInfinite;
  rising_ = 0;
  window_.clear();
}

bool StreamRule::go_on_at(const StreamPace& pace) {
  if (pace.period == pace_.period && pace.overlap == pace_.overlap && pace.bits == pace_.bits) return false;
  begin_anew(pace);
  return true;
}

std::optional<StreamReason> StreamRule::learns_badly(const StreamSigns& middle) {
  double sum = 0;
  double squares = 0;
  for (const auto& one : window_) {
    sum += one.loss;
    squares += one.loss * one.loss;
  }
  const auto count = static_cast<double>(window_.size());
  const double loss = sum / count;
  const double error = std::sqrt(std::max(0.0, squares / count - loss * loss) / std::max(1.0, count - 1));
  if (std::isfinite(loss) && std::isfinite(error)) {
    rising_ = loss - kTooHigh * error > best_loss_ * kRisen + kRisenBy ? rising_ + 1 : 0;
    best_loss_ = std::min(best_loss_, loss + kTooLow * error);
  }
  if (middle.arrived < kMinArrived) return StreamReason::little_arrives;
  if (middle.distance > kMaxDistance) return StreamReason::far_apart;
  if (rising_ >= kRising) return StreamReason::loss_rises;
  return std::nullopt;
}

std::optional<StreamChange> StreamRule::judge() {
  const bool urgent = window_.size() >= kUrgent && std::all_of(window_.end() - kUrgent, window_.end(), [](const StreamSigns& one) { return taken(one) > kMuchSlower; });
  const bool whole = window_.size() >= kWindow;
  if (!urgent && !whole) return std::nullopt;
  const std::vector<StreamSigns> seen = urgent ? std::vector<StreamSigns>(window_.end() - kUrgent, window_.end()) : window_;
  StreamChange change;
  change.signs = {median(seen, [](const auto& one) { return one.exchange_seconds; }), median(seen, [](const auto& one) { return one.hiding_seconds; }),
                  median(seen, [](const auto& one) { return one.arrived; }), median(seen, [](const auto& one) { return one.distance; }),
                  median(seen, [](const auto& one) { return one.loss; })};
  const double share = median(seen, taken);
  const auto badly = whole ? learns_badly(change.signs) : std::nullopt;
  change.to = pace_;
  const auto changed = [&](StreamReason reason) -> std::optional<StreamChange> {
    const bool same = change.to.period == pace_.period && change.to.bits == pace_.bits;
    if (same) return std::nullopt;
    change.reason = reason;
    return change;
  };
  // More for what is learned comes before less for the link: a slow run that learns can be waited for, up to a price.
  if (badly && !(share > kPaid.max)) {
    const auto more = finer(pace_, std::min(kMaxStreamBits, kForLearning * max_bits_));
    if (more && !(taken_at(*more, pace_, share) > kPaid.max)) {
      change.to = *more;
      return changed(*badly);
    }
    return std::nullopt;
  }
  if (share > price_of(pace_).max) {
    // What was raised for learning has shown to be needed: it stays up to the price that it had.
    if (pace_.bits > max_bits_ && share <= kPaid.max) return std::nullopt;
    for (auto next = coarser(change.to); next && taken_at(change.to, pace_, share) > price_of(change.to).aimed; next = coarser(change.to)) change.to = *next;
    return changed(StreamReason::link_slower);
  }
  if (share < price_of(pace_).room) {
    for (auto next = finer(change.to, max_bits_); next && taken_at(*next, pace_, share) <= price_of(*next).aimed; next = finer(change.to, max_bits_)) change.to = *next;
    return changed(StreamReason::link_faster);
  }
  return std::nullopt;
}

std::array<double, StreamRule::kStateSize> StreamRule::state() const {
  std::array<double, kStateSize> numbers{};
  const double first[] = {static_cast<double>(pace_.period), static_cast<double>(pace_.overlap), pace_.bits, static_cast<double>(skip_), best_loss_, static_cast<double>(rising_), static_cast<double>(window_.size())};
  std::copy(std::begin(first), std::end(first), numbers.begin());
  std::fill(numbers.begin() + std::size(first), numbers.end(), std::numeric_limits<double>::quiet_NaN());
  for (size_t k = 0; k < window_.size(); ++k) {
    const auto& one = window_[k];
    const double signs[] = {one.exchange_seconds, one.hiding_seconds, one.arrived, one.distance, one.loss};
    std::copy(std::begin(signs), std::end(signs), numbers.begin() + static_cast<std::ptrdiff_t>(std::size(first) + k * std::size(signs)));
  }
  return numbers;
}

void StreamRule::load_state(const double* numbers) {
  const auto within = [](double value, double low, double high) { return value >= low && value <= high; };
  if (!within(numbers[0], 1, 1e6) || !within(numbers[1], 1, numbers[0]) || !within(numbers[2], 0.01, kMaxStreamBits) || !within(numbers[3], 0, kSkipped) || !within(numbers[5], 0, 1e6) || !within(numbers[6], 0, kWindow - 1)) {
    throw std::runtime_error("has no pace");
  }
  pace_ = {std::min(static_cast<int>(numbers[0]), max_period_), std::min(static_cast<int>(numbers[1]), max_period_), numbers[2]};
  skip_ = static_cast<size_t>(numbers[3]);
  best_loss_ = numbers[4];
  rising_ = static_cast<int>(numbers[5]);
  window_.clear();
  for (size_t k = 0; k < static_cast<size_t>(numbers[6]); ++k) {
    const double* one = numbers + 7 + 5 * k;
    window_.push_back({one[0], one[1], one[2], one[3], one[4]});
  }
}

}  // namespace ringlab
