// `ringlab-train probe`: round-trip time and throughput between two machines, over one plain TCP connection.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `--listen HOST:PORT` serves one probe and ends; `--connect HOST:PORT [--seconds S]` measures and prints one JSON object:
/// rtt_ms (median of 50), send_bits_per_second, receive_bits_per_second, seconds. Returns the exit code; throws Failure.
int probe_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
