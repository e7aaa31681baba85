// One connection of `ringlab-train probe`: bytes with a deadline and a maximum, after a proof of the secret.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

/// Requests of the connecting side after the proof: P (one byte returns), U + 8 bytes of size (that many bytes follow, then A
/// returns), D + 8 bytes of size (that many return). Sizes are in native byte order; all supported machines are little-endian.
constexpr uint64_t kMaxPieceBytes = uint64_t{1} << 36;

class ProbeChannel {
 public:
  /// Every call throws beyond `deadline` (steady seconds) or `max_bytes` in both directions together.
  ProbeChannel(Socket socket, double deadline, uint64_t max_bytes);

  /// Both throw Failure (peer_lost) after ten seconds without data, for a broken connection or a maximum; Stopped.
  void send(const void* data, size_t size);
  /// False if the other side has closed before the first byte.
  bool receive(void* data, size_t size);
  /// As above, but a closed connection is an error.
  void expect(void* data, size_t size);
  /// Sends zeros; receives and drops anything.
  void move(uint64_t size, bool sending);

 private:
  void wait_for(short events) const;
  void count(uint64_t size);

  Socket socket_;
  double deadline_;
  uint64_t left_;
};

/// The connecting side's proof. Throws Failure (peer_disagrees) if the secrets differ, (peer_lost) if the other side is not a probe.
void prove_probe(ProbeChannel& channel, const RunSecret& secret);

struct ProbeListening {
  Endpoint endpoint;
  RunSecret secret;
  double seconds = 2;  ///< maximum of one measurement
  int probes = 1;      ///< served one after the other, then the process ends
};

/// Prints "listening on HOST:PORT", serves, returns the exit code. Connections without a proof are closed after five seconds, and
/// the oldest if there are more than 16; none of them ends the server. Throws Failure (port_in_use, address_not_local).
int listen_for_probes(const ProbeListening& settings);

}  // namespace ringlab
