#include "collect/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "collect/file_times.h"

namespace ringlab {
namespace {

constexpr size_t kMaxFolders = 4000;
constexpr size_t kMaxFiles = 20000;
constexpr int kMaxDepth = 12;
/// Clocks of file systems tick in up to 2 s: a folder that changed this recently may have changed again unseen.
constexpr double kTick = 2.1;

bool ends_with(std::string_view text, std::string_view end) { return text.size() > end.size() && text.substr(text.size() - end.size()) == end; }

std::optional<FileKind> kind_of(std::string_view name) {
  if (name.find("tfevents") != std::string_view::npos) return FileKind::events;
  if (ends_with(name, ".wandb")) return FileKind::wandb;
  for (const std::string_view end : {".pt", ".pth", ".tar", ".safetensors", ".ckpt"}) {
    if (ends_with(name, end)) return FileKind::checkpoint;
  }
  return std::nullopt;
}

bool is_left_out(std::string_view name) {
  for (const std::string_view one : {"node_modules", "__pycache__", "venv", "site-packages"}) {
    if (name == one) return true;
  }
  return name.empty() || name.front() == '.';
}

std::string below(const std::string& folder, const std::string& name) { return folder.empty() ? name : folder + "/" + name; }

}  // namespace

void WorkFolder::read_folder(const std::string& path, Folder& folder, std::vector<std::string>& added) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(below(root_, path).c_str()), closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    unsigned char type = entry->d_type;
    if (type == DT_UNKNOWN) {
      struct stat info {};
      if (fstatat(dirfd(listing.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      type = S_ISDIR(info.st_mode) ? DT_DIR : S_ISREG(info.st_mode) ? DT_REG : DT_LNK;
    }
    const std::string inner = below(path, name);
    if (type == DT_DIR && !is_left_out(name) && folder.depth < kMaxDepth && folders_.count(inner) == 0) added.push_back(inner);
    if (type != DT_REG || name.front() == '.') continue;
    const auto kind = kind_of(name);
    if (!kind || files_.count(inner) > 0) continue;
    if (files_.size() >= kMaxFiles) {
      crowded_ = true;
      continue;
    }
    files_[inner].kind = *kind;
  }
}

std::vector<SeenFile> WorkFolder::look() {
  const double now = wall_time();
  set_back_ = std::max(set_back_, began_.wall - began_.line - (now - line_time()));
  if (folders_.empty()) folders_[""];
  std::vector<std::string> waiting;
  for (const auto& [path, folder] : folders_) waiting.push_back(path);
  // New folders are read in the same look.
  for (size_t i = 0; i < waiting.size(); ++i) {
    const std::string path = waiting[i];
    struct stat info {};
    if (lstat(below(root_, path).c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      if (!path.empty()) folders_.erase(path);
      continue;
    }
    Folder& folder = folders_[path];
    const double modified = seconds_of(info.st_mtim);
    const double started = steady_seconds();
    if ((modified == folder.modified && now - modified > kTick) || started < folder.next) continue;
    folder.modified = modified;
    std::vector<std::string> added;
    read_folder(path, folder, added);
    folder.next = steady_seconds() + 20 * (steady_seconds() - started);
    for (auto& inner : added) {
      if (folders_.size() >= kMaxFolders) {
        crowded_ = true;
        break;
      }
      folders_[inner].depth = folder.depth + 1;
      waiting.push_back(std::move(inner));
    }
  }
  std::vector<SeenFile> changed;
  for (auto file = files_.begin(); file != files_.end();) {
    auto& [path, seen] = *file;
    struct stat info {};
    if (lstat(below(root_, path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      file = files_.erase(file);
      continue;
    }
    ++file;
    const double modified = seconds_of(info.st_mtim);
    const auto bytes = static_cast<uint64_t>(info.st_size);
    const bool same = seen.bytes == bytes && seen.modified == modified && seen.inode == info.st_ino;
    const bool settles = same && !seen.settled;
    if (same && !settles) continue;
    const bool older = modified < began_.wall && (!looked_ || modified < began_.wall - set_back_);
    seen = {path, seen.kind, bytes, modified, info.st_ino, settles || older};
    if (!older) changed.push_back(seen);
  }
  looked_ = true;
  // Upper folders first: the first event file's folder is the one that the others are named from.
  const auto depth = [](const SeenFile& file) { return std::count(file.path.begin(), file.path.end(), '/'); };
  std::stable_sort(changed.begin(), changed.end(), [&](const SeenFile& a, const SeenFile& b) { return depth(a) < depth(b); });
  return changed;
}

}  // namespace ringlab
