// When a file was last changed, in Unix seconds of its file system's clock.
#pragma once

#include <sys/stat.h>

#include <ctime>
#include <string>

namespace ringlab {

inline double seconds_of(const timespec& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9; }

/// 0 where the file cannot be looked at.
inline double changed_at(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? seconds_of(info.st_mtim) : 0;
}

}  // namespace ringlab
