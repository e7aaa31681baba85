// How the ranks that torchrun started find rank 0's own store: through a note in the agent's.
#pragma once

#include <string>

#include "comm/store/agent_store.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

/// Which start of which job: no other start's notes are taken for this one's.
struct AgentJob {
  std::string run_id;
  int restart_count = 0;
  bool one_node = false;  ///< all ranks are on this machine
};

/// What rank 0 announces to the others. The secret that all connections to its store prove is made of `nonce` and, where there is one, of
/// --secret-file's.
struct MeetingNote {
  Endpoint master;
  std::string nonce;     ///< in hexadecimal, drawn at every start
  bool secret = false;   ///< rank 0 has a --secret-file
};

MeetingNote new_meeting_note(const Endpoint& master, const RunSecret& file);
RunSecret secret_of(const MeetingNote& note, const RunSecret& file);

/// Rank 0: the address of this machine by which the others reach it. Its own end of the connection to the agent, unless that is the
/// loopback and others are elsewhere: then the one from which their addresses are reached. Waits for their notes. Throws Failure
/// (rendezvous_timeout) and Stopped.
std::string address_for_others(AgentStore& agent, const AgentJob& job, int world_size, double deadline);

/// Rank 0.
void publish(AgentStore& agent, const AgentJob& job, const MeetingNote& note);
/// The others: where each is, and what rank 0 has said; nothing yet where it has said nothing.
void announce(AgentStore& agent, const AgentJob& job, int rank);
std::optional<MeetingNote> look_for(AgentStore& agent, const AgentJob& job);

}  // namespace ringlab
