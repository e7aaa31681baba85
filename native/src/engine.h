// The functions of the program that need libtorch. Loading libtorch takes a third of a second of a core, which
// `probe`, `monitor`, `--help` and a wrong option need not wait for.
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

/// Loads libtorch at the first call, of any thread. Throws Failure (backend_missing) with the loader's words where that fails.
///
/// One of two files defines it. engine_embedded.cpp, the default: the engine is a shared library inside of the executable, so
/// that the trainer stays one file. engine_linked.cpp (-DRINGLAB_LINK_ENGINE=ON, and with sanitizers): the engine is linked, and
/// every command loads libtorch; debuggers and profilers find its names by themselves.
const Engine& engine();

/// The engine's own, which the shared library exports.
extern "C" const Engine* ringlab_engine();

}  // namespace ringlab
