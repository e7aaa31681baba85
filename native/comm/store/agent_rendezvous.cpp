#include "comm/store/agent_rendezvous.h"

#include <chrono>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/stop_signal.h"
#include "comm/store/socket_io.h"

namespace ringlab {
namespace {

constexpr const char* kKind = "ringlab-meeting-1";

std::string key_of(const AgentJob& job, const std::string& what) { return "/ringlab/" + job.run_id + "/attempt_" + std::to_string(job.restart_count) + "/" + what; }

bool is_loopback(const std::string& address) { return address.rfind("127.", 0) == 0 || address == "::1"; }

}  // namespace

RendezvousNote new_rendezvous_note(const Endpoint& master, const RunSecret& file) { return {master, hexadecimal(random_bytes(32)), !file.open()}; }

RunSecret secret_of(const RendezvousNote& note, const RunSecret& file) {
  const Digest digest = hmac_sha256(file.open() ? "ringlab torchrun" : file.bytes, {"start ", note.nonce});
  return {std::string(digest.begin(), digest.end())};
}

std::string address_for_others(AgentStore& agent, const AgentJob& job, int world_size, double deadline) {
  if (job.one_node || !is_loopback(agent.address())) return agent.address();
  for (int rank = 1; rank < world_size; ++rank) {
    std::optional<std::string> theirs;
    while (!(theirs = agent.get(key_of(job, "address/" + std::to_string(rank))))) {
      if (stop_requested()) throw Stopped();
      if (steady_seconds() >= deadline) {
        throw std::move(Failure(ErrorCode::rendezvous_timeout, "rank " + std::to_string(rank) + " of " + std::to_string(world_size) + " did not connect to torchrun's store",
                                "look at the log of the missing one; --rendezvous-timeout waits longer")
                            .about_peer(rank, ""));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (is_loopback(*theirs)) continue;
    const std::string own = address_towards(*theirs);
    if (!own.empty()) return own;
  }
  return agent.address();
}

void publish(AgentStore& agent, const AgentJob& job, const RendezvousNote& note) {
  agent.set(key_of(job, "rank-0"), std::string(kKind) + "\n" + note.master.host + "\n" + std::to_string(note.master.port) + "\n" + note.nonce + "\n" + (note.secret ? "s" : "o") + "\n");
}

void announce(AgentStore& agent, const AgentJob& job, int rank) { agent.set(key_of(job, "address/" + std::to_string(rank)), agent.address()); }

std::optional<RendezvousNote> look_for(AgentStore& agent, const AgentJob& job) {
  const auto text = agent.get(key_of(job, "rank-0"));
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::string kind, host, port, nonce, secret;
  for (auto* line : {&kind, &host, &port, &nonce, &secret}) std::getline(lines, *line);
  if (kind != kKind || host.empty() || nonce.size() != 64) {
    throw Failure(ErrorCode::peer_disagrees, "rank 0's note in torchrun's store is not one that this version reads", "start every rank with the same ringlab-train");
  }
  return RendezvousNote{parse_endpoint((host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port), nonce, secret == "s"};
}

}  // namespace ringlab
