// `ringlab-train probe`: round-trip time and throughput between two machines, over one plain TCP connection.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `--listen HOST:PORT [--seconds S] [--probes N]` serves one probe, or N, of at most S seconds each and ends; `--connect
/// HOST:PORT [--seconds S] [--connect-timeout S]` tries to connect for that long (5 s), measures and prints one JSON object:
/// rtt_ms (median of 50), send_bits_per_second, receive_bits_per_second, seconds. With `--secret-file FILE` (- is standard input)
/// both sides prove that they know it, as ranks do at the store; without it anyone who reaches the port may measure once. Returns
/// the exit code; throws Failure.
int probe_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
