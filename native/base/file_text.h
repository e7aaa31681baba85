// Small text files: markers, notes, /proc.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace ringlab {

/// The whole file; "" if it cannot be read. Only for files of this machine or the trainer: the size is not limited.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace ringlab
