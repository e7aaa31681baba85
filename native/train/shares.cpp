#include "train/shares.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace ringlab {
namespace {

/// Equal for ranks that read the same folder, and only for those: machines cloned from one image have the same host name and
/// inode numbers.
std::string folder_identity(const std::string& path) {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) throw std::move(Failure(ErrorCode::bad_data, path + ": " + std::strerror(errno)).at_path(path));
  return (boot.empty() ? host_name() : boot) + " " + std::to_string(found.st_dev) + " " + std::to_string(found.st_ino);
}

}  // namespace

Share agree_on_share(const RunContext& run) {
  const int64_t own = run.data.train().size();
  if (!run.options.sharded_data || run.communicator == nullptr) return share_of_all(own, run.launch.rank, run.launch.world_size);
  std::vector<FolderPart> parts;
  for (const auto& text : run.communicator->gather_texts(std::to_string(own) + " " + folder_identity(run.options.dir))) {
    const size_t space = text.find(' ');
    parts.push_back({text.substr(space + 1), std::stoll(text)});
  }
  return share_of_part(parts, run.launch.rank);
}

}  // namespace ringlab
