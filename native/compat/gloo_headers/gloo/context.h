// Stands in for libgloo-dev's header where that package is missing: see rendezvous/store.h.
#pragma once

namespace gloo {

class Context;

}  // namespace gloo
