// The program's functions that need libtorch. Loading libtorch takes a third of a second of CPU time, which `probe`,
// `monitor`, `--help` and usage errors avoid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "options/options.h"

namespace ringlab {

struct Engine {
  Capabilities (*capabilities)();
  void (*check_image_size)(const std::string& architecture, int64_t size);
  int (*classify)(const std::vector<std::string>& arguments);
  int (*train)(const Options& options);
  int (*verify)(const std::vector<std::string>& arguments);
};

/// Loads libtorch at the first call, on any thread. Throws Failure (backend_missing) with the loader's message on failure.
/// Defined by one of two files. engine_embedded.cpp, the default: the engine is a shared library embedded in the executable, so
/// that the trainer is a single file. engine_linked.cpp (-DRINGLAB_LINK_ENGINE=ON, and with sanitizers): the engine is linked,
/// and every command loads libtorch; debuggers and profilers then find its symbols.
const Engine& engine();

/// Writes the shared library for Python (python/ringlab): the engine itself. Throws Failure: of the disk, or (backend_missing) where the engine is linked.
void write_engine(const std::string& path);

/// The engine's own function, exported by the shared library.
extern "C" const Engine* ringlab_engine();

}  // namespace ringlab
