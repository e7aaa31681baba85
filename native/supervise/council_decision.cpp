// Rank 0's decision after a failure: whether the run starts again, and from which checkpoint.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/console.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/sha256.h"
#include "checkpoint/checkpoint_names.h"
#include "checkpoint/newest_save.h"
#include "supervise/council.h"
#include "supervise/saved_files.h"

namespace ringlab {
namespace {

constexpr const char* kFolder = ".";
constexpr const char* kYes = "yes";
constexpr const char* kNo = "no";
constexpr const char* kNewest = "newest";  ///< the question for a rank's own newest checkpoint
constexpr double kTurn = 0.1;  ///< seconds between two looks
/// For so long others may be late before a line says so.
constexpr double kLate = 10;

void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double random_fraction() {
  const std::string bytes = random_bytes(4);
  uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number / 4294967296.0;
}

std::string list_of(const std::vector<int>& ranks) {
  std::string list;
  for (const int rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  return list;
}

}  // namespace

/// A file that cannot be opened, on a disk that only reads, does not end the run.
void Council::write(const char* kind, const JsonObject& line) const {
  try {
    MetricsFile(settings_.metrics).write(kind, line);
  } catch (const Failure& failure) {
    say(std::string("=> a line is lost: ") + failure.what());
  }
}

/// Its `restart` line, and a line on the console.
void Council::note_failure(const Ended& cause, const Decision& decision, const Choice& choice, const AttemptLines& lines) {
  JsonObject line;
  line.add("attempt", attempt_).add("goes_on", decision.restart).add("rank", cause.rank);
  if (cause.end.signal != 0) line.add("signal", cause.end.signal);
  else line.add("exit_code", cause.end.code);
  if (cause.end.out_of_memory) line.add("out_of_memory", true);
  if (cause.end.silent) line.add("silent", true);
  if (!cause.end.error.empty()) line.add("code", cause.end.error).add("message", cause.end.message);
  if (decision.restart) line.add("pause_seconds", decision.pause).add("file", choice.file);
  else line.add("why", decision.why);
  line.add_all(lines.reached(choice.step));
  write("restart", line);
  say("=> " + words_of(cause) + (decision.restart ? "; all ranks start again from " + (choice.file.empty() ? std::string("the beginning") : "'" + choice.file + "'") : "; the run is not started again: " + decision.why));
}

NextStep Council::decide(const std::vector<Ended>& ends, const AttemptLines& lines) {
  const Ended* cause = blamed(ends);
  if (cause == nullptr) return {NextStep::Kind::end, ""};
  bool saved = lines.saved_by() >= settings_.world_size;
  std::optional<Choice> choice;
  if (!saved && settings_.saves && cause_of(*cause) == Cause::outside) {
    // Steps that the ranks that were left have saved are progress where a rank was taken away; a rank that crashes again and again would take some each time.
    choice = choose();
    if (!choice) return not_answered(*cause, lines);
    saved = choice->of_fewer && choice->step.value_or(0) > reached_;
  }
  const Decision decision = policy_.after(*cause, steady_seconds(), saved, random_fraction());
  if (decision.restart && !choice) {
    choice = choose();
    if (!choice) return not_answered(*cause, lines);
  }
  NextStep next{decision.restart ? NextStep::Kind::restart : NextStep::Kind::end, ""};
  if (decision.restart) {
    next.file = choice->file;
    next.fresh = choice->fresh;
  }
  if (choice) reached_ = std::max(reached_, choice->step.value_or(0));
  note_failure(*cause, decision, choice.value_or(Choice{}), lines);
  if (decision.restart && !pause(decision.pause)) return {NextStep::Kind::stop, ""};
  return next;
}

/// Without the others' answers nobody knows from where all could go on.
NextStep Council::not_answered(const Ended& cause, const AttemptLines& lines) {
  if (stopping()) return {NextStep::Kind::stop, ""};
  note_failure(cause, {false, "away", 0}, {}, lines);
  return {NextStep::Kind::end, ""};
}

/// On rank 0: the newest checkpoint of which every rank has its part, undamaged, or which the ranks that were left saved; where there is none, as with a rank whose disk is gone, the newest that rank 0
/// can read, which a start from the beginning would overwrite; no file where there is none either. Nothing where
/// some ranks do not answer, or the run is stopped: checkpoints that are there must not count as none.
std::optional<Choice> Council::choose() {
  std::optional<int64_t> fewer;
  if (settings_.saves && settings_.world_size > 1) {
    const auto answers = ask(kNewest);
    if (!answers) return std::nullopt;
    fewer = step_of_fewer(*answers);
  }
  std::vector<Choice> incomplete;
  for (const std::string& file : saved_files(kFolder)) {
    std::string why;
    const auto position = saved_position(std::string(kFolder) + "/" + file, why);
    // They are the newest first.
    if (fewer && position && position->step <= *fewer) break;
    if (position && settings_.world_size == 1) return Choice{file, position->step};
    if (position && has_part(kFolder, 0, *position)) {
      const auto answers = ask(save_text(*position));
      if (!answers) return std::nullopt;
      if (std::all_of(answers->begin(), answers->end(), [](const std::string& one) { return one == kYes; })) {
        for (const Choice& newer : incomplete) skip(newer.file, "not every rank has its undamaged part of it");
        return Choice{file, position->step};
      }
    }
    if (stopping()) return std::nullopt;
    if (position) incomplete.push_back({file, position->step, false, true});
    else skip(file, why);
  }
  // It is newer than one of fewer ranks.
  if (!incomplete.empty()) return incomplete.front();
  return fewer ? Choice{kCheckpointFile, fewer, true} : Choice{};
}

/// On rank 0: the step of the newest checkpoint, if fewer ranks than all saved it. Their trainers find the rank that has it, and go on without the state of those that were lost.
std::optional<int64_t> Council::step_of_fewer(const std::vector<std::string>& answers) const {
  std::vector<std::optional<NewestSave>> saves{newest_save(kFolder, 0, settings_.world_size)};
  for (const auto& answer : answers) saves.push_back(newest_save_of(answer));
  const auto rank = rank_of_newest(saves);
  if (!rank) return std::nullopt;
  const NewestSave& save = *saves[static_cast<size_t>(*rank)];
  return save.members < settings_.world_size ? std::optional(save.step) : std::nullopt;
}

/// The run's record has it, too: a checkpoint that is damaged is worth knowing of.
void Council::skip(const std::string& file, const std::string& why) const {
  const std::string message = "'" + file + "' is not used: " + why;
  say("=> " + message);
  JsonObject line;
  line.add("code", "checkpoint_skipped").add("message", message).add("hint", "an older one is used, or the run begins anew").add("path", file);
  write("warning", line);
}

/// On rank 0: the answers of all others; nothing where some are not there, or the run is stopped.
std::optional<std::vector<std::string>> Council::ask(const std::string& question) {
  ++asked_;
  rendezvous_->set(key("ask"), std::to_string(asked_) + " " + question);
  const double since = steady_seconds();
  while (!stopping() && steady_seconds() - since < patience_) {
    std::vector<int> missing;
    std::vector<std::string> answers;
    for (int rank = 1; rank < settings_.world_size; ++rank) {
      auto answer = rendezvous_->get(key("answer/" + std::to_string(asked_), rank));
      if (!answer) missing.push_back(rank);
      else answers.push_back(std::move(*answer));
    }
    if (missing.empty()) return answers;
    if (steady_seconds() - since > kLate) note_waiting(missing, "");
    rest(kTurn);
  }
  return std::nullopt;
}

/// On the others: which checkpoint is this rank's newest, or whether this rank has its part of the save that rank 0 asks about.
std::string Council::answer_to(const std::string& question) const {
  if (question == kNewest) return text_of(newest_save(kFolder, settings_.rank, settings_.world_size));
  const auto position = save_of(question);
  return position && has_part(kFolder, settings_.rank, *position) ? kYes : kNo;
}

void Council::answer() {
  const auto asked = rendezvous_->get(key("ask"));
  if (!asked) return;
  std::istringstream words(*asked);
  int number = 0;
  if (!(words >> number >> std::ws) || number <= answered_) return;
  std::string question;
  std::getline(words, question);
  rendezvous_->set(key("answer/" + std::to_string(number), settings_.rank), answer_to(question));
  answered_ = number;
}

/// A `restart_wait` line, once for each list of ranks, where they are late.
void Council::note_waiting(const std::vector<int>& ranks, const std::string& why) {
  if (steady_seconds() - waits_since_ < kLate || ranks == noted_) return;
  noted_ = ranks;
  std::vector<std::string> numbers;
  for (const int rank : ranks) numbers.push_back(std::to_string(rank));
  JsonObject line;
  line.add_raw("ranks", json_array(numbers));
  if (!why.empty()) line.add("message", why);
  write("restart_wait", line);
  say("=> waiting for the supervisor of rank " + list_of(ranks) + (why.empty() ? "" : ": " + why));
}

/// False: stopped meanwhile.
bool Council::pause(double seconds) {
  const double until = steady_seconds() + seconds;
  while (steady_seconds() < until) {
    if (stopping()) return false;
    rest(std::min(kTurn, std::max(0.0, until - steady_seconds())));
  }
  return true;
}

}  // namespace ringlab
