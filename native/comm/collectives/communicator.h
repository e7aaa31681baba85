// A rank's connection to all others: rendezvous, collectives, heartbeat. Only the files behind it use c10d.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/store/agent_rendezvous.h"
#include "comm/store/board.h"
#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

struct CommSettings {
  int rank = 0;
  int world_size = 1;
  Endpoint master;        ///< where rank 0 listens; with `agent` where torchrun's store does
  std::optional<AgentJob> agent;  ///< rank 0 is found through that store
  RunSecret secret;       ///< that every rank has; empty: none has one
  std::vector<std::string> peers;  ///< rank 0: addresses that may connect; empty: any
  bool nccl = false;      ///< tensors on this process's CUDA device go over NCCL; those on the CPU always over Gloo
  std::string interface;  ///< Gloo's device: by interface,
  std::string address;    ///< or by address; both empty: the address that reaches rank 0
  bool control_group = false;  ///< connections of their own for start_allreduce_max(): its numbers pass exchanges that are under way
  double rendezvous_timeout = 60;
  double peer_timeout = 2.0;
  /// What all ranks must have in common, by name: compared with rank 0's during the rendezvous.
  std::vector<std::pair<std::string, std::string>> agreement;
  /// Where ranks are lost, the others may regroup(): on_peer_lost is then called only before all have met.
  bool goes_on = false;
  int generation = 0;        ///< how often ranks were lost before
  std::vector<int> members;  ///< the number at the run's start of each rank; empty: the same
  /// Called once, from a thread of its own, when a peer is lost while the main thread is inside a collective and cannot
  /// be reached. It must report and end the process; explain() prevents it.
  std::function<void(const Failure&)> on_peer_lost;
};

/// Bytes that this process put on and took off the network for collectives: payload, counted as the ring does.
struct Traffic {
  int64_t sent = 0;
  int64_t received = 0;
};

struct CommState;
class CollectiveThread;
class Communicator;

/// The ranks that go on after others were lost, as they agreed.
struct Regrouped {
  int generation = 0;
  bool may_go_on = true;           ///< see NextMembers
  std::vector<int> members;        ///< their numbers at the run's start, in the new order
  std::vector<int> places;         ///< their ranks before
  std::vector<std::string> notes;  ///< what each said to regroup()
  std::vector<int> lost;           ///< numbers at the run's start
  Failure why{ErrorCode::peer_lost, ""};       ///< what each of them would end with
  double seconds = 0;                          ///< since the loss was noticed
  std::unique_ptr<Communicator> communicator;  ///< theirs, to connect(); null where one is left
};

/// Does this build's libtorch have NCCL?
bool communicator_has_nccl();

/// Every collective is issued by thread() in the order of the calls, which must be the same on all ranks; the methods wait
/// for it, and may be called in a job of thread() too. Gloo's exceptions are passed on: give them to explain(). With one
/// process there is no Communicator.
class Communicator {
 public:
  /// Meets all ranks, as generation 0. Throws Failure: port_in_use, address_not_local, rendezvous_timeout, peer_disagrees, peer_lost.
  /// Throws Stopped on SIGTERM.
  explicit Communicator(CommSettings settings);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const;
  int world_size() const;

  void allreduce_sum(at::Tensor tensor);
  /// Largest value over all ranks of each element, waited for by the returned function: to overlap with computation. A few numbers among few ranks take two delays of the network.
  /// With `control_group` for one thread alone where the tensor is on the CPU, and in no order with the other collectives.
  std::function<void()> start_allreduce_max(at::Tensor tensor);
  /// Many tensors in few messages.
  void broadcast(const std::vector<at::Tensor>& tensors, int root = 0);
  /// Any bytes from one rank to all, at most 64 MiB; otherwise Failure (peer_disagrees) on all.
  void broadcast_bytes(std::string& bytes, int root = 0);
  /// Bytes of the first rank of `chain` to all others of it, in pieces from each to the next, so that each one's link carries them once in each direction, however many
  /// there are; a broadcast where the chain is long for the bytes. A collective of all ranks, with the same `chain` and `count`; `bytes` is a byte tensor of `count` on the CPU, and not used on ranks that are not in `chain`.
  void relay(const at::Tensor& bytes, int64_t count, const std::vector<int>& chain);
  /// One row a rank; `tensor` has the same shape everywhere.
  std::vector<at::Tensor> all_gather(at::Tensor tensor);
  /// Row k of `rows` goes to rank k; row k of the result came from rank k. Same shape everywhere.
  at::Tensor all_to_all(at::Tensor rows);
  void barrier();
  /// A collective: every rank's text on every rank, by rank. Each has at most 64 MiB; otherwise Failure (peer_disagrees) on all.
  std::vector<std::string> gather_texts(const std::string& text);
  /// Rank 0's store for notes beside the collectives; lives as long as the communicator.
  Board& board();
  /// Where `rank` is: an address, "" where unknown.
  std::string address_of(int rank) const;

  Traffic traffic() const;

  /// For an exception out of a collective: which peer was lost, found out within peer_timeout + 0.5 s.
  Failure explain(const std::string& what);
  /// Reports to the others why this rank leaves, so that they need not wait for silence.
  void leave(const std::string& reason);
  /// Whether `error` is this rank's own, since no exchange failed with it and no rank is known to be lost.
  bool fails_alone(const std::exception& error) const;
  /// With `goes_on`: a rank is lost, so that collectives fail and board() throws.
  bool has_lost() const;
  /// With `goes_on`, after has_lost() or an exception of connect() or a collective, once: ends what is under way on this rank, and meets the others that are left. The new
  /// communicator is theirs; this one may only be destroyed. `what` is the exception's. A successor of a lost rank 0 waits for the others for some seconds, and `patience` more. Throws Failure
  /// (peer_lost) where no rank was lost, or the others went on without this one.
  Regrouped regroup(const std::string& what, const std::string& note, double patience);
  /// Of a regrouped communicator, before its first collective: connects the ranks. Throws std::runtime_error where one more is lost meanwhile; regroup() then.
  void connect();
  /// The end that all ranks reach together: after it a missing heartbeat is no loss.
  void finish();

  /// For communication while the caller computes.
  CollectiveThread& thread();

  CommState& state() { return *state_; }

 private:
  explicit Communicator(std::unique_ptr<CommState> met);
  void start_heartbeat(double timeout);
  std::unique_ptr<CommState> state_;
};

}  // namespace ringlab
