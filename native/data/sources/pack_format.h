// The files of `ringlab-train pack`: decoded images, to be mapped into memory (PROTOCOL.md, 'Packed images').
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

// All numbers are little-endian: a header of 16 bytes, pixels, the index, a trailer of 32 bytes at the end.
constexpr char kPackHead[9] = "ringpack";  ///< first 8 bytes; then u32 version, u32 0
constexpr char kPackTail[9] = "packring";  ///< last 8 bytes; before them u64 index offset, u64 index bytes, u32 CRC-32 of the index, u32 version
constexpr uint32_t kPackVersion = 1;
constexpr uint64_t kPackHeadBytes = 16;
constexpr uint64_t kPackTailBytes = 32;

/// One image: height rows of width RGB pixels from `offset` in the file on, no padding.
struct PackedImage {
  uint64_t offset = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t label = 0;
  std::string name;  ///< path of its source file, relative to the split's folder
};

struct PackIndex {
  uint32_t edge = 0;  ///< maximum to which the shorter edges were reduced
  std::vector<std::string> classes;
  std::vector<PackedImage> images;
};

constexpr const char* kTrainPack = "train.pack";
constexpr const char* kValPack = "val.pack";

}  // namespace ringlab
