#include "comm/store/next_members.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "comm/store/store_table.h"

namespace ringlab {
namespace {

constexpr const char* kList = "next/members";
/// The first byte of the list.
constexpr char kGoesOn = 'm';
constexpr char kEnds = 'e';

std::string note_key(int place) { return "next/note/" + std::to_string(place); }

std::string list_text(const NextMembers& next) {
  FieldWriter text(next.may_go_on ? kGoesOn : kEnds);
  for (size_t i = 0; i < next.places.size(); ++i) text.number(next.places[i]).text(next.notes[i]);
  return text.bytes();
}

NextMembers list_of(const std::string& text, int count) {
  NextMembers next;
  if (text.empty() || (text.front() != kGoesOn && text.front() != kEnds)) throw StoreError("the list of members cannot be read");
  next.may_go_on = text.front() == kGoesOn;
  FieldReader fields(std::string_view(text).substr(1));
  while (!fields.at_end()) {
    const auto place = fields.number();
    auto note = fields.text();
    const int64_t min_place = next.places.empty() ? 0 : next.places.back() + 1;
    if (!place || !note || *place < min_place || *place >= count) throw StoreError("the list of members cannot be read");
    next.places.push_back(static_cast<int>(*place));
    next.notes.push_back(std::move(*note));
  }
  return next;
}

/// When each member's heartbeat was last seen to change.
class Beats {
 public:
  Beats(KeyStore& store, int count) : store_(store), counters_(static_cast<size_t>(count), -1), seen_(static_cast<size_t>(count), steady_seconds()) {}
  double silence(int place) {
    const auto at = static_cast<size_t>(place);
    const int64_t counter = store_.add("beat/" + std::to_string(place), 0);
    if (counter != counters_[at]) seen_[at] = steady_seconds();
    counters_[at] = counter;
    return steady_seconds() - seen_[at];
  }

 private:
  KeyStore& store_;
  std::vector<int64_t> counters_;
  std::vector<double> seen_;
};

}  // namespace

bool may_go_on(const std::vector<int>& places, int count, bool first_ended) {
  const int counting = first_ended ? count - 1 : count;
  const auto here = 2 * static_cast<int>(places.size());
  const int first = first_ended ? 1 : 0;
  return here > counting || (here == counting && !places.empty() && places.front() == first);
}

NextMembers gather_members(KeyStore& store, KeyStore* beats, const EndedGeneration& ended, const std::string& note, double seconds) {
  const double deadline = steady_seconds() + seconds;
  std::vector<std::optional<std::string>> notes(static_cast<size_t>(ended.count));
  notes[static_cast<size_t>(ended.place)] = note;
  std::set<int> lost = ended.lost;
  std::optional<Beats> heard;
  if (beats != nullptr) heard.emplace(*beats, ended.count);
  while (true) {
    bool waiting = false;
    for (int place = 0; place < ended.count; ++place) {
      auto& its = notes[static_cast<size_t>(place)];
      if (its || lost.count(place) > 0) continue;
      its = store.get(note_key(place));
      if (its) continue;
      if (heard ? heard->silence(place) > ended.silence : steady_seconds() >= deadline) lost.insert(place);
      else waiting = true;
    }
    if (!waiting) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  NextMembers next;
  for (int place = 0; place < ended.count; ++place) {
    if (auto& its = notes[static_cast<size_t>(place)]) {
      next.places.push_back(place);
      next.notes.push_back(std::move(*its));
    }
  }
  next.may_go_on = may_go_on(next.places, ended.count, ended.first_ended);
  store.set(kList, list_text(next));
  return next;
}

NextMembers join_members(KeyStore& store, const EndedGeneration& ended, const std::string& note) {
  store.set(note_key(ended.place), note);
  while (!store.wait({kList}, std::chrono::milliseconds(500))) {
  }
  const auto text = store.get(kList);
  if (!text) throw StoreError("the list of members is gone again");
  return list_of(*text, ended.count);
}

}  // namespace ringlab
