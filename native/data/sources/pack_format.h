// The files of `ringlab-train pack`: pictures decoded once, to be mapped into memory (PROTOCOL.md, 'Packed pictures').
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

// All numbers are little-endian. A head of 16 bytes, pixels, the index, a tail of 32 bytes at the very end.
constexpr char kPackHead[9] = "ringpack";  ///< first 8 bytes; then u32 version, u32 0
constexpr char kPackTail[9] = "packring";  ///< last 8 bytes; before them u64 index offset, u64 index bytes, u32 CRC-32 of the index, u32 version
constexpr uint32_t kPackVersion = 1;
constexpr uint64_t kPackHeadBytes = 16;
constexpr uint64_t kPackTailBytes = 32;

/// One picture: height rows of width RGB pixels from `offset` of the file on, no padding.
struct PackedPicture {
  uint64_t offset = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t label = 0;
  std::string name;  ///< path below the split's folder that it was made from
};

struct PackIndex {
  uint32_t edge = 0;  ///< what the shorter edges were reduced to at most
  std::vector<std::string> classes;
  std::vector<PackedPicture> pictures;
};

constexpr const char* kTrainPack = "train.pack";
constexpr const char* kValPack = "val.pack";

}  // namespace ringlab
