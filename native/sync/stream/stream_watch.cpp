#include "sync/stream/stream_watch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ringlab {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A rank's signs, then rank 0's decision.
constexpr size_t kSigns = 5;
using Note = std::array<double, kSigns + std::tuple_size<StreamWatch::Decision>::value>;
constexpr auto kNoteBytes = static_cast<int64_t>(sizeof(Note));

/// As the last bytes of a row.
void write_note(const Note& note, uint8_t* row, int64_t row_bytes) { std::memcpy(row + row_bytes - kNoteBytes, note.data(), sizeof note); }

Note read_note(const uint8_t* row, int64_t row_bytes) {
  Note note{};
  std::memcpy(note.data(), row + row_bytes - kNoteBytes, sizeof note);
  return note;
}

}  // namespace

StreamPace checked_pace(double period, double overlap, double bits) {
  const bool valid = period >= 1 && period <= kMaxStreamPeriod && overlap >= 0 && overlap <= period && bits >= 0.01 && bits <= kMaxStreamBits;
  if (!valid) throw std::runtime_error("has no pace");
  return {static_cast<int>(period), static_cast<int>(overlap), bits};
}

StreamWatch::StreamWatch(const StreamPace& start, double max_bits, Changed changed)
    : watches_(max_bits > 0),
      rule_(start, max_bits),
      changed_(std::move(changed)),
      own_{kUnknown, kUnknown, kUnknown, kUnknown, kUnknown} {}

int64_t StreamWatch::note_bytes() const { return watches_ ? kNoteBytes : 0; }

void StreamWatch::saw_exchange(double exchange_seconds, double hiding_seconds) {
  own_.exchange_seconds = exchange_seconds;
  own_.hiding_seconds = hiding_seconds;
}

void StreamWatch::sign(uint8_t* row, int64_t row_bytes, double energy, double sent, size_t matrices) const {
  if (!watches_) return;
  const double distance = std::sqrt(energy / static_cast<double>(std::max<size_t>(1, matrices)));
  write_note({own_.exchange_seconds, own_.hiding_seconds, energy > 0 ? sent / energy : kUnknown, distance, own_.loss}, row, row_bytes);
}

void StreamWatch::judge(const std::vector<const uint8_t*>& rows, int64_t row_bytes) {
  if (!watches_) return;
  const auto world = static_cast<double>(rows.size());
  StreamSigns all{kUnknown, kUnknown, 0, 0, 0};
  for (const uint8_t* row : rows) {
    const Note note = read_note(row, row_bytes);
    all.exchange_seconds = std::fmin(all.exchange_seconds, note[0]);
    all.hiding_seconds = std::fmax(all.hiding_seconds, note[1]);
    all.arrived += note[2] / world;
    all.distance += note[3] / world;
    all.loss += note[4] / world;
  }
  const auto change = rule_.see(all);
  const StreamPace& pace = rule_.pace();
  decided_ = {static_cast<double>(pace.period), static_cast<double>(pace.overlap), pace.bits};
  if (change) {
    const StreamSigns& signs = change->signs;
    const double why[] = {1 + static_cast<double>(change->reason), signs.exchange_seconds, signs.hiding_seconds, signs.arrived, signs.distance, signs.loss};
    std::copy(std::begin(why), std::end(why), decided_.begin() + 3);
  }
}

void StreamWatch::announce(uint8_t* row, int64_t row_bytes) const {
  if (!watches_) return;
  Note note{};
  std::copy(decided_.begin(), decided_.end(), note.begin() + kSigns);
  write_note(note, row, row_bytes);
}

std::optional<StreamPace> StreamWatch::follow(const StreamPace& now, const uint8_t* row, int64_t row_bytes) const {
  if (!watches_) return std::nullopt;
  const Note note = read_note(row, row_bytes);
  Decision decided{};
  std::copy(note.begin() + kSigns, note.end(), decided.begin());
  constexpr auto kReasons = static_cast<double>(StreamReason::loss_rises) + 1;
  if (!(decided[3] >= 1 && decided[3] <= kReasons)) return std::nullopt;
  StreamChange change;
  change.to = checked_pace(decided[0], decided[1], decided[2]);
  change.reason = static_cast<StreamReason>(static_cast<int>(decided[3]) - 1);
  change.signs = {decided[4], decided[5], decided[6], decided[7], decided[8]};
  if (changed_) changed_(now, change);
  return change.to;
}

void StreamWatch::go_on_at(const StreamPace& pace) {
  if (rule_.go_on_at(pace)) decided_ = {};
}

std::array<double, StreamWatch::kStateSize> StreamWatch::state() const {
  std::array<double, kStateSize> numbers{};
  const auto rule = rule_.state();
  std::copy(decided_.begin(), decided_.end(), std::copy(rule.begin(), rule.end(), numbers.begin()));
  return numbers;
}

/// A decision is checked by the ranks that follow it.
void StreamWatch::load_state(const double* numbers) {
  rule_.load_state(numbers);
  std::copy(numbers + StreamRule::kStateSize, numbers + kStateSize, decided_.begin());
}

}  // namespace ringlab
