// Small files as texts: markers, notes, /proc.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace ringlab {

/// The whole file; "" where it cannot be read. For files that this machine or the trainer wrote: nothing limits their size.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace ringlab
