#include "collect/rank_process.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/file_text.h"
#include "base/metrics.h"
#include "base/numbers.h"
#include "collect/file_times.h"
#include "collect/records/json_reader.h"
#include "monitor/monitor.h"
#include "monitor/system.h"

namespace ringlab {
namespace {

constexpr double kGone = 30;  ///< seconds that a rank without exit.json may be gone: its launcher was killed, too

}  // namespace

double RankProcess::started() const {
  double since = wall_time();
  for (const char* name : {"/launch.sh", "/pid"}) {
    const double changed = changed_at(folder_ + name);
    if (changed > 0) since = std::min(since, changed);
  }
  return since;
}

bool has_exit_file(const std::string& rank_folder, int attempt) {
  const auto exit = read_json(file_text(rank_folder + "/exit.json"));
  if (!exit || exit->kind != JsonValue::Kind::object) return false;
  const JsonValue* of = exit->find("attempt");
  return of == nullptr || of->number >= attempt;
}

bool RankProcess::has_exited(double now) {
  if (has_exit_file(folder_, attempt_)) return true;
  const int pid = pid_in_file(folder_ + "/pid");
  if (pid <= 0 || read_process(pid)) {
    gone_since_ = 0;
    return false;
  }
  if (gone_since_ == 0) gone_since_ = now;
  return now - gone_since_ > kGone;
}

/// `events.out.tfevents.<time>.<host>.<pid>.<number>`; without a pid it is nobody's.
bool RankProcess::wrote(const std::string& path, bool only_here) const {
  const size_t events = path.rfind("tfevents.");
  if (events == std::string::npos) return false;
  const size_t last = path.rfind('.');
  const size_t before = path.rfind('.', last - 1);
  if (before <= events + 9) return false;
  if (only_here) {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) return false;
    const std::string end = std::string(".") + host.data();
    if (before < end.size() || path.compare(before - end.size(), end.size(), end) != 0) return false;
  }
  auto pid = number_of<int>(std::string_view(path).substr(before + 1, last - before - 1));
  const int own = pid_in_file(folder_ + "/pid");
  for (int depth = 0; pid && *pid > 1 && own > 1 && depth < 16; ++depth) {
    if (*pid == own) return true;
    // "4711 (python3) S 4710 …": the parent's id follows the state.
    const std::string text = file_text("/proc/" + std::to_string(*pid) + "/stat");
    const size_t bracket = text.rfind(')');
    if (bracket == std::string::npos || bracket + 4 >= text.size()) return false;
    const size_t end = text.find(' ', bracket + 4);
    pid = number_of<int>(std::string_view(text).substr(bracket + 4, end - bracket - 4));
  }
  return false;
}

}  // namespace ringlab
