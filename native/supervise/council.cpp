#include "supervise/council.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/console.h"
#include "base/error.h"
#include "base/stop_signal.h"
#include "supervise/saved_files.h"

namespace ringlab {
namespace {

constexpr double kTurn = 0.1;  ///< seconds between two looks
/// While rank 0's supervisor is not there: the port may be its trainer's.
constexpr double kTryAgain = 0.4;
/// For supervisors that are not needed: where a rank has done all its work, and before the first attempt.
constexpr double kShortWait = 60;
/// For the others to read that the run ends, or is stopped: whoever stops one supervisor stops the others, too.
constexpr double kLastWords = 5;
constexpr double kStopWords = 1;

void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

constexpr const char* kRestart = "restart ";
constexpr const char* kFresh = "fresh ";

std::string text_of(const NextStep& next) {
  if (next.kind == NextStep::Kind::end) return "end";
  return next.kind == NextStep::Kind::stop ? "stop" : (next.fresh ? kFresh : kRestart) + next.file;
}

NextStep next_of(const std::string& text) {
  if (text == "stop") return {NextStep::Kind::stop, ""};
  for (const std::string start : {kRestart, kFresh}) {
    if (text.compare(0, start.size(), start) != 0) continue;
    const std::string file = text.substr(start.size());
    // A name in this rank's own folder, whatever rank 0's node sends.
    if (file.find('/') == std::string::npos) return {NextStep::Kind::restart, file, start == kFresh};
  }
  return {NextStep::Kind::end, ""};
}

NextStep next_of(const Choice& choice) { return {NextStep::Kind::restart, choice.file, choice.fresh}; }

}  // namespace

Council::Council(CouncilSettings settings, RestartLimits limits, SupervisorRendezvous* rendezvous)
    : settings_(std::move(settings)), policy_(limits), rendezvous_(rendezvous) {}

std::optional<NextStep> Council::first_file() {
  begin(0);
  waits_since_ = steady_seconds();
  patience_ = std::min(settings_.wait, kShortWait);
  if (settings_.world_size == 1) {
    const auto choice = choose();
    return choice ? std::optional(next_of(*choice)) : std::nullopt;
  }
  NextStep next;
  if (settings_.rank != 0) {
    next = follow({});
  } else {
    try {
      std::string why;
      while (!rendezvous_->open(why) && !stop_requested() && steady_seconds() - waits_since_ < patience_) rest(kTurn);
      if (rendezvous_->is_open()) {
        const auto choice = choose();
        next = announce(choice ? next_of(*choice) : NextStep{NextStep::Kind::end, ""});
      }
    } catch (const std::exception&) {
      next = {};
    }
  }
  rendezvous_->close();
  if (next.kind != NextStep::Kind::restart) return std::nullopt;
  return next;
}

void Council::begin(int attempt) {
  attempt_ = attempt;
  asked_ = 0;
  answered_ = 0;
  noted_.clear();
  patience_ = settings_.wait;
}

bool Council::stopping() {
  if (stop_requested()) return true;
  return rendezvous_ != nullptr && rendezvous_->is_open() && rendezvous_->get(key("stop")).has_value();
}

Council::Others Council::others() {
  std::string why;
  if (!rendezvous_->open(why)) return Others::run;
  try {
    if (rendezvous_->get(key("lost"))) return Others::ended;
    return rendezvous_->get(key("failed")) ? Others::failed : Others::run;
  } catch (const std::exception&) {
    rendezvous_->close();
    return Others::run;
  }
}

/// Says to the others that this rank has ended.
void Council::fail(const RankEnd& own) {
  if (!own.failed()) return;
  const std::string rank = std::to_string(settings_.rank);
  rendezvous_->set(key("failed"), rank);
  if (own.lost_a_peer()) rendezvous_->set(key("lost"), rank);
}

void Council::leave() {
  if (rendezvous_ == nullptr || !rendezvous_->is_open()) return;
  try {
    rendezvous_->set(key("stop"), std::to_string(settings_.rank));
    if (settings_.rank == 0) announce({NextStep::Kind::stop, ""});
  } catch (const std::exception&) {
    // The others are stopped by whoever stops this one, or wait until they are.
  }
}

NextStep Council::after(const RankEnd& own, const AttemptLines& lines) {
  patience_ = settings_.wait;
  waits_since_ = steady_seconds();
  if (settings_.world_size == 1) return alone(own, lines);
  NextStep next = settings_.rank == 0 ? lead(own, lines) : follow(own);
  rendezvous_->close();
  return next;
}

NextStep Council::alone(const RankEnd& own, const AttemptLines& lines) {
  if (!own.failed()) return {NextStep::Kind::end, ""};
  return decide({{settings_.rank, own}}, lines);
}

NextStep Council::lead(const RankEnd& own, const AttemptLines& lines) {
  try {
    std::vector<Ended> ends;
    if (gather(own, ends)) return announce(decide(ends, lines));
    if (stopping()) return announce({NextStep::Kind::stop, ""});
    if (const Ended* cause = blamed(ends)) note_failure(*cause, {false, "away", 0}, {}, lines);
    return announce({NextStep::Kind::end, ""});
  } catch (const std::exception& error) {
    // Its own store, in this process, does not answer.
    say(std::string("=> the run cannot be started again: ") + error.what());
    return {NextStep::Kind::end, ""};
  }
}

/// On rank 0: how each rank ended, in the order in which they reported. False: stopped, or some never reported.
bool Council::gather(const RankEnd& own, std::vector<Ended>& ends) {
  ends.push_back({0, own});
  bool posted = false;
  while (true) {
    if (stopping()) return false;
    std::string why;
    std::vector<int> missing;
    if (!rendezvous_->open(why)) {
      missing.push_back(0);
    } else {
      if (!posted) fail(own);
      posted = true;
      for (int rank = 1; rank < settings_.world_size; ++rank) {
        if (std::any_of(ends.begin(), ends.end(), [rank](const Ended& one) { return one.rank == rank; })) continue;
        const auto text = rendezvous_->get(key("ended", rank));
        const auto end = text ? rank_end_of(*text) : std::nullopt;
        if (end) ends.push_back({rank, *end});
        else missing.push_back(rank);
      }
      if (missing.empty()) return true;
    }
    if (steady_seconds() - waits_since_ > settings_.wait) return false;
    if (blamed(ends) != nullptr) note_waiting(missing, why);
    rest(kTurn);
  }
}

/// On rank 0: sends it to the others, and returns when all have read it. With one rank, at once.
NextStep Council::announce(NextStep next) {
  std::string why;
  if (settings_.world_size == 1 || !rendezvous_->open(why)) return next;
  rendezvous_->set(key("next"), text_of(next));
  const bool restart = next.kind == NextStep::Kind::restart;
  const double patience = restart ? patience_ : next.kind == NextStep::Kind::stop ? kStopWords : kLastWords;
  const double since = steady_seconds();
  waits_since_ = since;
  while (steady_seconds() - since < patience) {
    if (restart && stopping()) return {NextStep::Kind::stop, ""};
    std::vector<int> missing;
    for (int rank = 1; rank < settings_.world_size; ++rank) {
      if (!rendezvous_->get(key("read", rank))) missing.push_back(rank);
    }
    if (missing.empty()) return next;
    if (restart) note_waiting(missing, "");
    rest(kTurn);
  }
  return restart ? NextStep{NextStep::Kind::end, ""} : next;
}

/// On the others: the trainers of a new attempt need rank 0's port, which its supervisor closes when all have read this.
void Council::acknowledge(const std::string& next) {
  rendezvous_->set(key("read", settings_.rank), "1");
  if (next_of(next).kind != NextStep::Kind::restart) return;
  try {
    while (!stop_requested()) {
      rendezvous_->get(key("next"));
      rest(kTurn / 2);
    }
  } catch (const std::exception&) {
    // The connection is closed: that is the sign.
  }
}

NextStep Council::follow(const RankEnd& own) {
  bool posted = false;
  const double patience = own.failed() ? settings_.wait : std::min(settings_.wait, kShortWait);
  while (true) {
    std::string why;
    try {
      if (rendezvous_->open(why)) {
        if (stop_requested()) {
          leave();
          return {NextStep::Kind::stop, ""};
        }
        if (!posted) rendezvous_->set(key("ended", settings_.rank), text_of(own));
        if (!posted) fail(own);
        posted = true;
        answer();
        if (const auto next = rendezvous_->get(key("next"))) {
          acknowledge(*next);
          return stop_requested() ? NextStep{NextStep::Kind::stop, ""} : next_of(*next);
        }
        waits_since_ = steady_seconds();
      }
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!why.empty()) {
      rendezvous_->close();
      posted = false;
      if (stop_requested()) return {NextStep::Kind::stop, ""};
      if (steady_seconds() - waits_since_ > patience) return {NextStep::Kind::end, ""};
      if (own.failed()) note_waiting({0}, why);
      rest(kTryAgain);
    }
    rest(kTurn);
  }
}

}  // namespace ringlab
