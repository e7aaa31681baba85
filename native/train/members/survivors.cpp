#include "train/members/survivors.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>

#include "base/error.h"

namespace ringlab {
namespace {

std::ostream& operator<<(std::ostream& text, const Stand& stand) {
  return text << stand.epoch << ' ' << stand.batch << ' ' << stand.step << ' ' << stand.landed << ' ' << stand.landed_step;
}

std::istream& operator>>(std::istream& text, Stand& stand) {
  text >> stand.epoch >> stand.batch >> stand.step >> stand.landed >> stand.landed_step;
  if (std::min({stand.epoch, stand.batch, stand.step, stand.landed, stand.landed_step}) < 0) text.setstate(std::ios::failbit);
  return text;
}

}  // namespace

std::string note_of(const Standing& standing) {
  std::ostringstream text;
  text << standing.generation << ' ' << standing.stand << ' ' << standing.next_generation << ' ' << standing.next;
  return text.str();
}

Standing standing_of(const std::string& note) {
  Standing standing;
  std::istringstream text(note);
  text >> standing.generation >> standing.stand >> standing.next_generation >> standing.next;
  const bool whole = !text.fail() && standing.generation >= 0 && (standing.next_generation == 0 || standing.next_generation > standing.generation);
  if (!whole) throw Failure(ErrorCode::peer_disagrees, "a rank does not say where it stands", "are all ranks of one version?");
  return standing;
}

AgreedStands agreed_stands(const std::vector<std::string>& notes) {
  std::vector<Standing> all;
  AgreedStands agreed;
  for (const auto& note : notes) {
    all.push_back(standing_of(note));
    agreed.generation = std::max(agreed.generation, all.back().generation);
  }
  for (const auto& standing : all) {
    const bool trains = standing.generation == agreed.generation;
    if (!trains && standing.next_generation != agreed.generation) {
      throw Failure(ErrorCode::peer_disagrees, "the ranks that are left do not train with the same members", "resume from the last checkpoint");
    }
    agreed.stands.push_back(trains ? standing.stand : standing.next);
  }
  return agreed;
}

Boundary boundary_of(const std::vector<Stand>& stands, const std::vector<int>& places, int count, int64_t dealt, bool averages_parameters) {
  Boundary boundary;
  const auto earliest = std::min_element(stands.begin(), stands.end(), [](const Stand& a, const Stand& b) { return a.epoch < b.epoch; });
  boundary.epoch = earliest->epoch;
  for (const auto& stand : stands) {
    if (stand.epoch == boundary.epoch) boundary.batch = std::max(boundary.batch, stand.batch);
    boundary.step = std::max(boundary.step, stand.step);
  }
  // A rank that has begun the next epoch has taken no step of it, and goes back to the end of this one.
  const auto batch_of = [&](const Stand& stand) { return stand.epoch == boundary.epoch ? stand.batch : boundary.batch; };
  const auto reached = [&](const Stand& stand) { return averages_parameters ? stand.landed : batch_of(stand); };
  const auto furthest = std::max_element(stands.begin(), stands.end(), [&](const Stand& a, const Stand& b) { return reached(a) < reached(b); });
  boundary.root = static_cast<int>(furthest - stands.begin());
  const int64_t own = boundary.batch - dealt;
  const int64_t landed = averages_parameters ? std::clamp<int64_t>(furthest->landed_step - (boundary.step - own), 0, std::max<int64_t>(0, own)) : own;
  boundary.sent = landed;
  boundary.any_sent = !averages_parameters || furthest->landed > 0;
  boundary.counted.assign(static_cast<size_t>(count), landed);
  for (size_t i = 0; i < stands.size(); ++i) {
    const Stand& stand = stands[i];
    const bool near = stand.epoch - boundary.epoch <= 1 && (stand.epoch == boundary.epoch || stand.batch == 0) && boundary.batch - batch_of(stand) <= 1 &&
                      reached(*furthest) - reached(stand) <= 1 && batch_of(stand) >= dealt;
    if (!near) throw Failure(ErrorCode::peer_disagrees, "the ranks that are left are more than a step apart", "resume from the last checkpoint");
    boundary.behind.push_back(reached(stand) < reached(*furthest));
    if (averages_parameters) boundary.counted[static_cast<size_t>(places[i])] = batch_of(stand) - dealt;
  }
  return boundary;
}

}  // namespace ringlab
