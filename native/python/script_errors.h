// Error messages of ringlab.slow: for a lost rank, a broken link, and for what libtorch itself reports.
#pragma once

#include <cstddef>
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
