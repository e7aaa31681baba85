// A shared library that is loaded on first use: a trainer built with its headers also runs without it.
#pragma once

#include <dlfcn.h>

namespace ringlab {

/// Stays open until the process exits. Its functions may be called from several threads.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* name) : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  const char* name() const { return name_; }
  /// True if all requested functions were found.
  bool complete() const { return handle_ != nullptr && complete_; }

  template <typename Function>
  void find(Function& function, const char* symbol) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, symbol));
    complete_ = complete_ && function != nullptr;
  }

 private:
  const char* name_;
  void* handle_;
  bool complete_ = true;
};

}  // namespace ringlab
