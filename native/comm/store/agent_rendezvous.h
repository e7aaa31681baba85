// How ranks started by torchrun find rank 0's own store: by a note in the agent's store.
#pragma once

#include <optional>
#include <string>

#include "comm/store/agent_store.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

/// Identifies the start of a job: notes of other starts are ignored.
struct AgentJob {
  std::string run_id;
  int restart_count = 0;
  bool one_node = false;  ///< all ranks are on this machine
};

/// Rank 0's announcement. The secret of its store's connections is derived from `nonce` and, if given, the one of --secret-file.
struct RendezvousNote {
  Endpoint master;
  std::string nonce;     ///< hexadecimal, drawn at every start
  bool secret = false;   ///< rank 0 has a --secret-file
};

RendezvousNote new_rendezvous_note(const Endpoint& master, const RunSecret& file);
RunSecret secret_of(const RendezvousNote& note, const RunSecret& file);

/// Rank 0: this machine's address for the others: its end of the connection to the agent, or, if that is the loopback address and
/// other ranks are on other machines, the one with a route to them. Waits for their notes. Throws Failure (rendezvous_timeout)
/// and Stopped.
std::string address_for_others(AgentStore& agent, const AgentJob& job, int world_size, double deadline);

/// Called on rank 0.
void publish(AgentStore& agent, const AgentJob& job, const RendezvousNote& note);
/// Called on the others: posts each rank's address, and returns rank 0's announcement, if any.
void announce(AgentStore& agent, const AgentJob& job, int rank);
std::optional<RendezvousNote> look_for(AgentStore& agent, const AgentJob& job);

}  // namespace ringlab
