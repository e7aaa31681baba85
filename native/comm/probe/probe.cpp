#include "comm/probe/probe.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/stop_signal.h"
#include "comm/probe/probe_channel.h"
#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {
namespace {

/// Large for a fast link; the other side has its own maximum.
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;

constexpr uint64_t kTrialBytes = uint64_t{4} << 10;
/// Seconds of the trial from which on it is the measurement: a larger piece would keep one side silent for longer than the other waits.
constexpr double kSlowTrial = 1;

/// Seconds that a piece takes in one direction, with the round trip of its request or answer.
double piece(ProbeChannel& channel, char direction, uint64_t size) {
  const double started = steady_seconds();
  channel.send(&direction, 1);
  channel.send(&size, sizeof size);
  channel.move(size, direction == 'U');
  char answer = 0;
  if (direction == 'U') channel.expect(&answer, 1);
  return std::max(1e-6, steady_seconds() - started);
}

/// Bits per second in one direction: after a small piece, which says what the link carries, the pieces grow until one takes long
/// enough to measure.
double throughput(ProbeChannel& channel, char direction, double seconds, double round_trip) {
  uint64_t size = kTrialBytes;
  double took = piece(channel, direction, size);
  const double carried = std::max(1e-6, took - round_trip);
  if (carried < kSlowTrial) {
    size = static_cast<uint64_t>(static_cast<double>(size) * std::min(16.0, 2 * kSlowTrial / carried));
    while ((took = piece(channel, direction, size)) < seconds * 0.6 && size < kMaxPieceBytes) {
      size = std::min(kMaxPieceBytes, static_cast<uint64_t>(static_cast<double>(size) * std::clamp(seconds / took, 1.5, 8.0)));
    }
  }
  return 8.0 * static_cast<double>(size) / took;
}

int measure(const Endpoint& endpoint, const RunSecret& secret, double seconds, double connect_seconds) {
  std::string reason;
  Socket socket = connect_to(endpoint, connect_seconds, stop_requested, reason);
  if (stop_requested()) throw Stopped();
  if (!socket.valid()) throw Failure(ErrorCode::rendezvous_timeout, "probe: " + endpoint.str() + ": " + reason, "is the other side listening?");
  // The other side's limit applies; this one is for a side that sends very slowly.
  ProbeChannel channel(std::move(socket), steady_seconds() + 10 * seconds + 60, kMaxBytes);
  prove_probe(channel, secret);
  const double started = steady_seconds();
  std::vector<double> times;
  // At least five, where that does not take long.
  for (int i = 0; i < 50 && steady_seconds() - started < (times.size() < 5 ? std::max(seconds, 2.0) : seconds); ++i) {
    const double sent = steady_seconds();
    channel.send("P", 1);
    char answer = 0;
    channel.expect(&answer, 1);
    times.push_back(steady_seconds() - sent);
  }
  std::sort(times.begin(), times.end());
  const double round_trip = times[times.size() / 2];
  const double up = throughput(channel, 'U', seconds / 2, round_trip);
  const double down = throughput(channel, 'D', seconds / 2, round_trip);
  JsonObject result;
  result.add("v", 1).add("kind", "probe").add("address", endpoint.str()).add("rtt_ms", 1000 * round_trip);
  result.add("send_bits_per_second", up).add("receive_bits_per_second", down).add("seconds", steady_seconds() - started);
  std::printf("%s\n", result.str().c_str());
  return 0;
}

}  // namespace

int probe_command(const std::vector<std::string>& arguments) {
  std::string listen;
  std::string connect;
  std::string secret_file;
  double seconds = 2;
  double connect_seconds = 5;
  int probes = 1;
  parse_arguments("probe", arguments,
                  {text_row("--listen", listen), text_row("--connect", connect), number_row("--seconds", seconds, 0.1, 600), number_row("--connect-timeout", connect_seconds, 0.1, 600),
                   text_row("--secret-file", secret_file), number_row("--probes", probes, 1, 10000)});
  if (listen.empty() == connect.empty()) throw Failure(ErrorCode::usage, "probe: give either --listen HOST:PORT or --connect HOST:PORT");
  const RunSecret secret = secret_file.empty() ? RunSecret{} : read_secret(secret_file);
  if (listen.empty()) return measure(parse_endpoint(connect), secret, seconds, connect_seconds);
  ProbeListening settings{parse_endpoint(listen), secret, seconds, probes};
  if (secret.open() && is_every_address(settings.endpoint.host)) {
    throw Failure(ErrorCode::usage, "probe: " + listen + ": means every address of this machine; give the one by which the other side reaches it, or a --secret-file");
  }
  return listen_for_probes(settings);
}

}  // namespace ringlab
