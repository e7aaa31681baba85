// Error messages of ringlab.slow: for a lost rank, a broken link, and for what libtorch itself reports.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

#include "base/error.h"
#include "sync/compressor.h"

namespace ringlab {

inline std::string in_words(const Failure& failure) { return failure.hint().empty() ? failure.what() : std::string(failure.what()) + " (" + failure.hint() + ")"; }

/// Of libtorch's checks of what it is given: no peer and no network has a part in these.
inline bool is_own_check(const std::string& said) {
  return said.find("INTERNAL ASSERT FAILED") != std::string::npos || said.rfind("Invalid scalar type", 0) == 0 || said.rfind("expected scalar type", 0) == 0;
}

/// Exchanges are matched by their order: Gloo's own thread throws where those of two ranks have other sizes, and no call of ours is there to catch it.
inline bool is_of_other_exchanges(const std::string& said) { return said.find("op.preamble.length") != std::string::npos; }

/// Lets this process say why it ends there, before it does.
inline void explain_other_exchanges() {
  static std::terminate_handler before = nullptr;
  if (before) return;
  before = std::set_terminate([] {
    try {
      if (const auto error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::exception& error) {
      if (is_of_other_exchanges(error.what())) {
        std::fprintf(stderr, "ringlab: the ranks are in different exchanges. Every rank must take equally many optimizer steps, and call synchronise() and check_sync() at the same step: not on rank 0 alone, and with as many batches on each rank (DistributedSampler, drop_last=True)\n");
        std::fflush(stderr);
      }
    } catch (...) {
      // Not an exchange's error: nothing to explain.
    }
    before();
  });
}

/// From what libtorch's Reducer said, which counts parameters: "… did not receive grad for rank 0: 2 3".
inline std::string without_gradient(const std::string& said, const NamedTensors& parameters, const std::string& mode) {
  constexpr const char* kMarker = "did not receive grad for rank ";
  const size_t marker = said.find(kMarker);
  const size_t colon = marker == std::string::npos ? marker : said.find(':', marker);
  std::string names;
  if (colon != std::string::npos) {
    std::istringstream numbers(said.substr(colon + 1));
    for (size_t number = 0; numbers >> number;) {
      if (number < parameters.size()) names += (names.empty() ? "" : ", ") + parameters[number].first;
    }
  }
  return (names.empty() ? "a parameter" : names) + " had no part in the last backward pass, and mode " + mode + " averages the gradients of all. Freeze what is not used before ringlab.slow, take a mode that exchanges weights (local:1,stream=0.145,overlap=1), or ringlab.hook on DistributedDataParallel(find_unused_parameters=True)";
}

}  // namespace ringlab
