#include "collect/printed/step_track.h"

#include "base/json.h"
#include "collect/records/printed_number.h"

namespace ringlab {

std::string json_of(const StepTracks& tracks) {
  JsonObject out;
  for (const auto& [key, track] : tracks) {
    JsonObject starts;
    for (const auto& [epoch, base] : track.starts) starts.add(json_number(epoch), base);
    JsonObject one;
    one.add("base", track.base).add("last", track.last);
    if (track.of) one.add("of", *track.of);
    if (track.epoch) one.add("epoch", *track.epoch);
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
    one.of = number_of_member(track, "of");
    one.epoch = number_of_member(track, "epoch");
    const JsonValue* starts = track.find("starts");
    if (starts == nullptr) continue;
    for (const auto& [name, base] : starts->members) {
      double epoch = 0;
      const auto steps = metric_number(base);
      if (steps && number_at(name, epoch) == name.size() && one.starts.size() < StepTrack::kMaxStarts) one.starts.emplace(epoch, *steps);
    }
  }
  return tracks;
}

}  // namespace ringlab
