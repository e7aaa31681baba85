// Replaces libgloo-dev's header if that package is missing: see rendezvous/store.h.
#pragma once

namespace gloo {

class Context;

}  // namespace gloo
