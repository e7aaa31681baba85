#include "supervise/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <string_view>

#include "base/error.h"

namespace ringlab {
namespace {

/// After as many failures of the same kind in a row without a new checkpoint, a run that failed by itself stops.
constexpr size_t kIdenticalLimit = 2;
/// The same for failures of any kind.
constexpr size_t kFruitlessLimit = 5;
constexpr double kHour = 3600;
constexpr size_t kMaxPower = 20;

/// Signals that somebody sends; the others are a crash of the program itself.
constexpr std::array kSent = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};

/// They depend on the options, the data or the disk.
constexpr std::array<ErrorCode, 6> kLasting = {ErrorCode::usage, ErrorCode::backend_missing, ErrorCode::bad_data, ErrorCode::checkpoint_mismatch, ErrorCode::diverged, ErrorCode::disk_full};

bool is(const std::string& name, ErrorCode code) { return name == error_code_name(code); }

}  // namespace

Cause cause_of(const Ended& ended) {
  const RankEnd& end = ended.end;
  if (end.silent) return Cause::outside;
  if (end.out_of_memory) return Cause::own;
  if (end.signal != 0) return std::find(kSent.begin(), kSent.end(), end.signal) == kSent.end() ? Cause::own : Cause::outside;
  if (std::any_of(kLasting.begin(), kLasting.end(), [&](ErrorCode code) { return is(end.error, code); })) return Cause::lasting;
  // Only rank 0 knows: another rank that finds the supervisors' rendezvous in place of rank 0 sees another secret there.
  if (is(end.error, ErrorCode::peer_disagrees) && ended.rank == 0) return Cause::lasting;
  if (end.code == exit_code_of(ErrorCode::usage) || end.code == exit_code_of(ErrorCode::bad_data) || end.code == exit_code_of(ErrorCode::diverged)) return Cause::lasting;
  return end.code == exit_code_of(ErrorCode::peer_lost) ? Cause::outside : Cause::own;
}

Decision RestartPolicy::after(const Ended& failed, double now, bool saved, double random) {
  const Cause cause = cause_of(failed);
  if (cause == Cause::lasting) return {false, "cause", 0};
  if (saved) fruitless_.clear();
  fruitless_.push_back({now, failed.rank, failed.end.code, failed.end.signal});
  const Past& last = fruitless_.back();
  const auto different = std::find_if(fruitless_.rbegin(), fruitless_.rend(), [&](const Past& one) { return one.rank != last.rank || one.code != last.code || one.signal != last.signal; });
  const auto identical = static_cast<size_t>(different - fruitless_.rbegin());
  if ((cause == Cause::own && identical >= kIdenticalLimit) || fruitless_.size() >= kFruitlessLimit) return {false, "repeated", 0};
  restarts_.erase(std::remove_if(restarts_.begin(), restarts_.end(), [&](double at) { return at <= now - kHour; }), restarts_.end());
  if (restarts_.size() >= static_cast<size_t>(std::max(0, limits_.per_hour))) return {false, "tooOften", 0};
  restarts_.push_back(now);
  const size_t tries = fruitless_.size() - 1;
  if (tries == 0) return {true, "", 0};
  const double grown = limits_.pause * std::pow(2, static_cast<double>(std::min(tries - 1, kMaxPower)));
  return {true, "", std::min(limits_.longest_pause, grown) * (0.5 + random / 2)};
}

}  // namespace ringlab
