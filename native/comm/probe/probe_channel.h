// One connection of `ringlab-train probe`: bytes with a deadline and a maximum, and the proof at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

/// What comes after the proof, from the connecting side: P (one byte back), U + 8 bytes of size (that much follows, then A comes
/// back), D + 8 bytes of size (that much comes back). A size is in the machines' own order of bytes; all of them are little-endian.
constexpr uint64_t kLargestPiece = uint64_t{1} << 36;

class ProbeChannel {
 public:
  /// Beyond `deadline` (steady seconds) and `max_bytes` in both directions together every call throws.
  ProbeChannel(Socket socket, double deadline, uint64_t max_bytes);

  /// Both throw Failure (peer_lost): silence of ten seconds, a broken connection, a maximum; Stopped.
  void send(const void* data, size_t size);
  /// False where the other side has closed before the first byte.
  bool receive(void* data, size_t size);
  /// The same, and a closed connection is a broken one.
  void expect(void* data, size_t size);
  /// Zeros, or whatever comes.
  void move(uint64_t size, bool sending);

 private:
  void wait_for(short events) const;
  void count(uint64_t size);

  Socket socket_;
  double deadline_;
  uint64_t left_;
};

/// The connecting side's proof. Throws Failure (peer_disagrees) where the other side has another secret, (peer_lost) where it is no probe.
void prove_probe(ProbeChannel& channel, const RunSecret& secret);

struct ProbeListening {
  Endpoint endpoint;
  RunSecret secret;
  double seconds = 2;  ///< of the longest measurement that is served
  int probes = 1;      ///< served one after the other, then it ends
};

/// Prints "listening on HOST:PORT", serves, returns the exit code. Who has not proved itself within five seconds is sent away, and
/// so is the oldest of more than 16 who have not yet; none of them ends it. Throws Failure (port_in_use, address_not_local).
int listen_for_probes(const ProbeListening& settings);

}  // namespace ringlab
