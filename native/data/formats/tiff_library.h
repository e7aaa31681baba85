// libtiff, loaded for the first TIFF, and its access to a file in memory.
#pragma once

#ifdef RINGLAB_TIFF
#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/loaded_library.h"

namespace ringlab {

#if TIFFLIB_VERSION >= 20221213
#define RINGLAB_TIFF_OPTIONS
constexpr const char* kTiffLibrary = "libtiff.so.6";
#define RINGLAB_TIFF_OPENING(F) F(ClientOpenExt) F(OpenOptionsAlloc) F(OpenOptionsFree) F(OpenOptionsSetMaxSingleMemAlloc) F(OpenOptionsSetErrorHandlerExtR) F(OpenOptionsSetWarningHandlerExtR)
#else
constexpr const char* kTiffLibrary = "libtiff.so.5";
#define RINGLAB_TIFF_OPENING(F) F(ClientOpen) F(SetErrorHandler) F(SetWarningHandler)
#endif
#define RINGLAB_TIFF_READING(F) \
  F(Close) F(GetField) F(GetFieldDefaulted) F(SetField) F(IsBigEndian) F(IsTiled) F(IsCODECConfigured) F(StripSize) F(ScanlineSize) F(ComputeStrip) F(ReadEncodedStrip) \
  F(TileSize) F(TileRowSize) F(ReadTile) F(RGBAImageOK) F(RGBAImageBegin) F(RGBAImageGet) F(RGBAImageEnd)

/// libtiff's functions, without their prefix.
struct TiffLibrary {
#define RINGLAB_DECLARE(name) decltype(&::TIFF##name) name = nullptr;
  RINGLAB_TIFF_OPENING(RINGLAB_DECLARE)
  RINGLAB_TIFF_READING(RINGLAB_DECLARE)
#undef RINGLAB_DECLARE
  LoadedLibrary library{kTiffLibrary};

  TiffLibrary() {
#define RINGLAB_FIND(name) library.find(name, "TIFF" #name);
    RINGLAB_TIFF_OPENING(RINGLAB_FIND)
    RINGLAB_TIFF_READING(RINGLAB_FIND)
#undef RINGLAB_FIND
  }
};

const TiffLibrary& libtiff();

/// Limit of one strip or tile, and of libtiff's allocations.
constexpr int64_t kMaxTiffBlockBytes = int64_t{512} << 20;

/// The file in memory, and libtiff's last message.
struct TiffSource {
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  size_t at = 0;
  std::string message;
};

using Tiff = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

/// Null if it is not a TIFF; `file.message` then has libtiff's message. `file` must outlive it.
Tiff open_tiff(TiffSource& file);

}  // namespace ringlab
#endif
