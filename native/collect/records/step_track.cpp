#include "collect/records/step_track.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

/// Ranks that average their gradients in every step are no further apart.
constexpr double kApart = 2;

}  // namespace

double StepTrack::step_of(double at, std::optional<double> total, std::optional<double> now, bool own) {
  if (now && !std::isfinite(*now)) now.reset();
  if (now) now = std::floor(*now);  // of `epoch 1.25` the steps count from its start
  if (last < 0) {
    if (now) base = start_of(*now, total);
    begin(at, now);
  } else if (now && epoch && *now < *epoch) {
    // Back in the first epoch, at its start: another training, such as the next fold of a cross-validation.
    const bool again = !starts.empty() && *now == starts.begin()->first && at <= first;
    if (!again) return start_of(*now, total ? total : of) + at;
    base += of ? *of : last;
    starts.clear();
    begin(at, now);
  } else if (!own && is_late(at)) {
    return ended_base + at;
  } else {
    const bool next_epoch = now && (!epoch || *now > *epoch);
    if (begins_anew(at, next_epoch, own)) {
      ended = last;
      ended_base = base;
      base += of ? *of : last;
      begin(at, now);
    } else if (next_epoch && starts.size() < kMaxStarts) {
      starts.emplace(*now, base);
    }
    rise = std::max(rise, at - last);
  }
  last = at;
  of = total;
  if (now) epoch = now;
  return base + at;
}

bool StepTrack::begins_anew(double at, bool next_epoch, bool own) const {
  if (at > last) return false;
  const bool complete = of && last + 1 >= *of;
  // The same count again is that of one step in each epoch, or of a bar that is drawn anew with the next epoch's description.
  if (next_epoch) return at == last ? epoch && (at <= first || (own && complete)) : own || at < last - kApart || at <= first;
  // A script that is started again goes on from its checkpoint, an epoch begins as the one before it did.
  return !epoch && at < last && at * 2 <= last && at <= first + rise && (complete || last - at > kApart);
}

/// A rank's last counts of an epoch may come when another one is in the next.
bool StepTrack::is_late(double at) const { return ended && at <= *ended && *ended - at <= kApart && at - last > 2 * rise && at - last > kApart; }

void StepTrack::begin(double at, std::optional<double> now) {
  first = at;
  last = at;
  if (now && starts.size() < kMaxStarts) starts.emplace(*now, base);
}

bool StepTrack::is_within(const StepTrack& outer, double at, std::optional<double> now) {
  const double place = outer.base + outer.last;
  if (last < 0) {
    // A bar of epochs stands at its first count when that of the first epoch begins.
    if (outer.of && outer.rise > 0 && outer.last + 1 < *outer.of) within = place;
  } else if (within && at < last) {
    // In a later epoch the training's would have gone on: it was given up.
    const bool given_up = now && epoch && *now > *epoch && place == *within;
    within = given_up ? std::nullopt : std::optional(place);
  }
  return within.has_value();
}

bool StepTrack::is_followed_by(double total, std::optional<double> now) const {
  // A loop that prepares has no values; a bar is not always drawn at its last count.
  if (!valued || !of || total >= *of || last + std::max(1.0, rise) < *of) return false;
  const bool same_epoch = now && epoch && std::floor(*now) == *epoch;
  return same_epoch || total * 2 <= *of;
}

void StepTrack::begin_attempt() {
  StepTrack next;
  next.starts.swap(starts);
  *this = std::move(next);
}

/// Steps before an epoch: as they were counted, or by the length of an epoch. 0 where neither is known.
double StepTrack::start_of(double in_epoch, std::optional<double> length) const {
  auto at = starts.upper_bound(in_epoch);
  if (at == starts.begin()) return 0;
  --at;
  if (at->first == in_epoch) return at->second;
  return length ? at->second + (in_epoch - at->first) * *length : 0;
}

std::string json_of(const StepTracks& tracks) {
  JsonObject out;
  for (const auto& [key, track] : tracks) {
    JsonObject starts;
    for (const auto& [epoch, base] : track.starts) starts.add(json_number(epoch), base);
    JsonObject one;
    one.add("base", track.base).add("last", track.last).add("first", track.first).add("rise", track.rise);
    if (track.of) one.add("of", *track.of);
    if (track.epoch) one.add("epoch", *track.epoch);
    if (track.valued) one.add("valued", 1.0);
    if (track.within) one.add("within", *track.within);
    if (track.ended) one.add("ended", *track.ended).add("ended_base", track.ended_base);
    out.add_raw(key, one.add_raw("starts", starts.str()).str());
  }
  return out.str();
}

StepTracks tracks_of(const JsonValue& object) {
  StepTracks tracks;
  for (const auto& [key, track] : object.members) {
    if (tracks.size() >= kMaxTracks) break;
    StepTrack& one = tracks[key];
    one.base = number_of_member(track, "base").value_or(0);
    one.last = number_of_member(track, "last").value_or(-1);
    one.first = number_of_member(track, "first").value_or(0);
    one.rise = number_of_member(track, "rise").value_or(0);
    one.of = number_of_member(track, "of");
    one.epoch = number_of_member(track, "epoch");
    one.valued = number_of_member(track, "valued").has_value();
    one.within = number_of_member(track, "within");
    one.ended = number_of_member(track, "ended");
    one.ended_base = number_of_member(track, "ended_base").value_or(0);
    const JsonValue* starts = track.find("starts");
    if (starts == nullptr) continue;
    for (const auto& [name, base] : starts->members) {
      double epoch = 0;
      const auto steps = metric_number(base);
      if (steps && number_at(name, epoch) == name.size() && std::isfinite(epoch) && one.starts.size() < StepTrack::kMaxStarts) one.starts.emplace(epoch, *steps);
    }
  }
  return tracks;
}

}  // namespace ringlab
