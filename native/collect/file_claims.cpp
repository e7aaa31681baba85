#include "collect/file_claims.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/file_text.h"
#include "base/numbers.h"
#include "base/xxh64.h"
#include "collect/file_times.h"
#include "collect/rank_process.h"
#include "collect/records/json_reader.h"

namespace ringlab {
namespace {

constexpr double kLookEvery = 2;  ///< seconds between two looks at other nodes' ranks
constexpr double kSilent = 180;   ///< seconds; collectors show that they live every five, but for their last two minutes
constexpr int kMaxRank = 99999;
constexpr int kMaxNumber = 1000;
constexpr off_t kLastLine = 4096;  ///< bytes: longer than a collect_end

struct OpenFile {
  // Opened, a network file system asks the server; stat alone may be a minute old.
  explicit OpenFile(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) {
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
      close(fd);
      fd = -1;
    }
  }
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  double modified() const { return seconds_of(info.st_mtim); }

  struct stat info {};
  int fd;
};

std::string claim_name(const std::string& folder, const std::string& path, int number) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%016llx.%d", static_cast<unsigned long long>(xxh64(path.data(), path.size())), number);
  return folder + "/claims/" + name.data();
}

std::optional<int> rank_of(std::string_view text) {
  const auto rank = number_of<int>(text);
  return rank && *rank >= 0 && *rank <= kMaxRank ? rank : std::nullopt;
}

/// The rank whose claim has this number.
std::optional<int> claimant(const std::string& folder, const std::string& path, int number) {
  std::array<char, 16> target{};
  const ssize_t length = readlink(claim_name(folder, path, number).c_str(), target.data(), target.size());
  return length > 0 ? rank_of({target.data(), static_cast<size_t>(length)}) : std::nullopt;
}

/// Unix seconds of the file system's clock at which this attempt's collection ended: its collect_end is a rank's last line, and the rank
/// has not been started again since.
std::optional<double> ended_at(const std::string& rank_folder, int attempt) {
  if (!has_exit_file(rank_folder, attempt)) return std::nullopt;
  const OpenFile file(rank_folder + "/metrics.jsonl");
  if (file.fd < 0) return std::nullopt;
  std::string text(static_cast<size_t>(std::min(file.info.st_size, kLastLine)), '\0');
  const ssize_t got = pread(file.fd, text.data(), text.size(), file.info.st_size - static_cast<off_t>(text.size()));
  if (got <= 1 || static_cast<size_t>(got) != text.size() || text.back() != '\n') return std::nullopt;
  text.pop_back();
  const size_t before = text.rfind('\n');
  const auto line = read_json(before == std::string::npos ? std::string_view(text) : std::string_view(text).substr(before + 1));
  if (!line) return std::nullopt;
  const JsonValue* kind = line->find("kind");
  const JsonValue* of = line->find("attempt");
  if (kind == nullptr || of == nullptr || kind->text != "collect_end" || of->number < attempt) return std::nullopt;
  return file.modified();
}

}  // namespace

FileClaims::FileClaims(std::string run_folder, std::vector<int> own, int attempt) : run_folder_(std::move(run_folder)), own_(std::move(own)), attempt_(attempt) {}

std::optional<FileClaims::Claim> FileClaims::newest(const std::string& path) const {
  std::optional<Claim> found;
  for (int number = 0; number < kMaxNumber; ++number) {
    const auto rank = claimant(run_folder_, path, number);
    if (!rank) break;
    found = Claim{*rank, number};
  }
  return found;
}

bool FileClaims::claim(const std::string& path, Claim claim) const {
  const std::string name = claim_name(run_folder_, path, claim.number);
  const std::string rank = std::to_string(claim.rank);
  if (symlink(rank.c_str(), name.c_str()) == 0) return true;
  if (errno == ENOENT) {
    mkdir((run_folder_ + "/claims").c_str(), 0755);
    if (symlink(rank.c_str(), name.c_str()) == 0) return true;
  }
  if (errno != EEXIST) return true;
  // A network file system may repeat a request whose answer was lost.
  const auto there = newest(path);
  return there && there->rank == claim.rank && there->number == claim.number;
}

std::string FileClaims::folder_before(const std::string& path, const Claim& claim) const {
  const auto rank = claimant(run_folder_, path, claim.number - 1);
  return rank_folder(rank ? *rank : claim.rank);
}

bool FileClaims::is_over(int rank, double modified) {
  State& state = collected_[rank];
  const double now = steady_seconds();
  if (state.looked == 0 || now - state.looked >= kLookEvery) state = {now, ended_at(rank_folder(rank), attempt_), is_silent(rank)};
  return state.ended ? modified > *state.ended : state.silent;
}

/// Both times are of the file system's own clock: those of the nodes may differ.
bool FileClaims::is_silent(int rank) const {
  const OpenFile own(rank_folder(own_.front()) + "/collect.lock");
  const OpenFile lock(rank_folder(rank) + "/collect.lock");
  const OpenFile launch(rank_folder(rank) + "/launch.sh");
  if (own.fd < 0) return false;
  if (lock.fd < 0 && launch.fd < 0) return true;
  return own.modified() - (lock.fd >= 0 ? lock : launch).modified() > kSilent;
}

void FileClaims::look() {
  const double now = steady_seconds();
  if (looked_ > 0 && now - looked_ < kLookEvery) return;
  looked_ = now;
  running_.clear();
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(run_folder_.c_str()), closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    const auto rank = name.rfind("rank-", 0) == 0 ? rank_of(name.substr(5)) : std::nullopt;
    if (!rank || std::find(own_.begin(), own_.end(), *rank) != own_.end()) continue;
    const std::string folder = rank_folder(*rank);
    if (access((folder + "/launch.sh").c_str(), F_OK) == 0 && !has_exit_file(folder, attempt_) && !is_silent(*rank)) running_.push_back(*rank);
  }
}

bool FileClaims::others_run(int below) {
  look();
  return std::any_of(running_.begin(), running_.end(), [&](int rank) { return rank < below; });
}

}  // namespace ringlab
