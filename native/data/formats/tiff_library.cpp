#include "data/formats/tiff_library.h"

#ifdef RINGLAB_TIFF
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

namespace ringlab {
namespace {

TiffSource& source(thandle_t handle) { return *static_cast<TiffSource*>(handle); }

tmsize_t read_source(thandle_t handle, void* to, tmsize_t count) {
  TiffSource& file = source(handle);
  const size_t there = std::min(static_cast<size_t>(count), file.size - std::min(file.at, file.size));
  std::memcpy(to, file.bytes + file.at, there);
  file.at += there;
  return static_cast<tmsize_t>(there);
}

toff_t seek_source(thandle_t handle, toff_t offset, int whence) {
  TiffSource& file = source(handle);
  file.at = static_cast<size_t>(whence == SEEK_SET ? offset : whence == SEEK_CUR ? file.at + offset : file.size + offset);
  file.at = std::min(file.at, file.size);
  return file.at;
}

/// libtiff reads from memory in place.
int map_source(thandle_t handle, void** at, toff_t* size) {
  *at = const_cast<uint8_t*>(source(handle).bytes);  // the interface is not const-correct: a file opened with "r" is only read
  *size = source(handle).size;
  return 1;
}

#ifdef RINGLAB_TIFF_OPTIONS
int keep_message(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  char text[256];
  std::vsnprintf(text, sizeof text, format, arguments);
  static_cast<TiffSource*>(user)->message = text;
  return 1;
}
int drop_message(TIFF*, void*, const char*, const char*, va_list) { return 1; }
#endif

}  // namespace

const TiffLibrary& libtiff() {
  static const TiffLibrary library;
  return library;
}

Tiff open_tiff(TiffSource& file) {
  const auto write = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto close = [](thandle_t) { return 0; };
  const auto size = [](thandle_t handle) -> toff_t { return source(handle).size; };
  const auto unmap = [](thandle_t, void*, toff_t) {};
#ifdef RINGLAB_TIFF_OPTIONS
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(libtiff().OpenOptionsAlloc(), libtiff().OpenOptionsFree);
  if (!options) throw std::bad_alloc();
  libtiff().OpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxTiffBlockBytes);
  libtiff().OpenOptionsSetErrorHandlerExtR(options.get(), keep_message, &file);
  libtiff().OpenOptionsSetWarningHandlerExtR(options.get(), drop_message, nullptr);
  return {libtiff().ClientOpenExt("image", "r", &file, read_source, write, seek_source, close, size, map_source, unmap, options.get()), libtiff().Close};
#else
  // Older versions have one global handler: disabled, so that nothing is printed.
  static std::once_flag once;
  std::call_once(once, [] {
    libtiff().SetErrorHandler(nullptr);
    libtiff().SetWarningHandler(nullptr);
  });
  return {libtiff().ClientOpen("image", "r", &file, read_source, write, seek_source, close, size, map_source, unmap), libtiff().Close};
#endif
}

}  // namespace ringlab
#endif
