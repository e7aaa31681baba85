// Replaces libgloo-dev's header if that package is missing: see rendezvous/store.h.
#pragma once

namespace gloo {
namespace transport {

class Device;
class UnboundBuffer;

}  // namespace transport
}  // namespace gloo
