// Replaces libgloo-dev's header if that package is missing: see rendezvous/store.h.
#pragma once

#include <chrono>

namespace gloo {

// From libtorch 2.7 on, an inline function of c10d's calls it; we never do.
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

}  // namespace gloo
