// A Communicator's collectives.
#include <torch/csrc/distributed/c10d/comm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"
#include "comm/collectives/state.h"

namespace ringlab {
namespace {

/// Up to here each rank sends a few numbers to every other one: that takes two delays of the network. A ring takes twice as many as there are ranks, one
/// after another, which over a link of 50 ms is longer than a step.
constexpr size_t kDirectBytes = 256;
constexpr int kDirectRanks = 64;

/// Of one rank's text, before memory is taken for it: more than the largest pickle that a rank sends.
void check_text_size(int64_t bytes, int rank) {
  constexpr int64_t kMaximum = int64_t{64} << 20;
  if (bytes >= 0 && bytes <= kMaximum) return;
  throw Failure(ErrorCode::peer_disagrees, "rank " + std::to_string(rank) + " announces a text of " + std::to_string(bytes) + " bytes; the maximum is " + std::to_string(kMaximum),
                "are all ranks of one version, and their network their own?");
}

/// Runs `job` in the caller's thread: what it throws is in the future, as of one that CollectiveThread runs.
std::shared_future<void> run_here(std::function<void()> job) {
  std::packaged_task<void()> task(std::move(job));
  task();
  return task.get_future().share();
}

}  // namespace

void Communicator::allreduce_sum(at::Tensor tensor) {
  state_->thread.run([&] {
    std::vector<at::Tensor> tensors{tensor};
    state_->exchange(tensor, [&] { state_->group_for(tensor)->allreduce(tensors)->wait(); });
  });
  state_->count_allreduce(static_cast<int64_t>(tensor.nbytes()));
}

std::function<void()> Communicator::start_allreduce_max(at::Tensor tensor) {
  using Work = decltype(state_->group->allreduce(std::declval<std::vector<at::Tensor>&>()));
  auto work = std::make_shared<Work>();
  // All ranks take the same way: the size, the device and the number of ranks are the same on each.
  const bool direct = tensor.is_cpu() && tensor.nbytes() <= kDirectBytes && world_size() <= kDirectRanks;
  at::Tensor own = direct ? tensor.flatten().repeat({world_size(), 1}) : at::Tensor();
  at::Tensor rows = direct ? at::empty_like(own) : at::Tensor();
  const bool beside = state_->control && tensor.is_cpu();
  const auto issue = [this, work, tensor, own, rows, direct, beside]() mutable {
    std::vector<int64_t> even;
    std::vector<at::Tensor> tensors{tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    state_->exchange(tensor, [&] {
      const auto& group = beside ? state_->control : state_->group_for(tensor);
      *work = direct ? group->alltoall_base(rows, own, even, even) : group->allreduce(tensors, options);
    });
  };
  const auto issued = beside ? run_here(issue) : state_->thread.submit(issue);
  if (direct) state_->bytes += static_cast<int64_t>(tensor.nbytes()) * (world_size() - 1);
  else state_->count_allreduce(static_cast<int64_t>(tensor.nbytes()));
  return [this, issued, work, tensor, rows, direct] {
    issued.get();
    state_->exchange(tensor, [&] { (*work)->wait(); });
    if (direct) tensor.copy_(rows.amax(0).view(tensor.sizes()));
  };
}

void Communicator::broadcast(const std::vector<at::Tensor>& tensors, int root) {
  constexpr size_t kBufferBytes = size_t{250} << 20;
  if (tensors.empty()) return;
  const at::Tensor& first = tensors.front();
  state_->thread.run([&] { state_->exchange(first, [&] { c10d::broadcast_coalesced(state_->group_for(first), tensors, kBufferBytes, root); }); });
  int64_t payload = 0;
  for (const auto& tensor : tensors) payload += static_cast<int64_t>(tensor.nbytes());
  if (rank() == root) state_->bytes += payload;
}

void Communicator::broadcast_bytes(std::string& bytes, int root) {
  at::Tensor size = at::full({1}, static_cast<int64_t>(bytes.size()), at::kLong);
  broadcast({size}, root);
  check_text_size(size.item<int64_t>(), root);
  at::Tensor data = at::empty({size.item<int64_t>()}, at::kByte);
  if (data.numel() == 0) {
    bytes.clear();
    return;
  }
  if (rank() == root) std::memcpy(data.data_ptr(), bytes.data(), bytes.size());
  broadcast({data}, root);
  bytes.assign(static_cast<const char*>(data.data_ptr()), static_cast<size_t>(data.numel()));
}

std::vector<at::Tensor> Communicator::all_gather(at::Tensor tensor) {
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < world_size(); ++i) outputs[0].push_back(at::empty_like(tensor));
  state_->thread.run([&] {
    std::vector<at::Tensor> inputs{tensor};
    state_->exchange(tensor, [&] { state_->group_for(tensor)->allgather(outputs, inputs)->wait(); });
  });
  state_->bytes += static_cast<int64_t>(tensor.nbytes()) * (world_size() - 1);
  return outputs[0];
}

std::vector<std::string> Communicator::gather_texts(const std::string& text) {
  const auto sizes = all_gather(at::full({1}, static_cast<int64_t>(text.size()), at::kLong));
  int64_t longest = 1;
  for (size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto bytes = sizes[rank].item<int64_t>();
    check_text_size(bytes, static_cast<int>(rank));
    longest = std::max(longest, bytes);
  }
  at::Tensor padded = at::zeros({longest}, at::kByte);
  std::memcpy(padded.data_ptr(), text.data(), text.size());
  const auto rows = all_gather(padded);
  std::vector<std::string> texts;
  for (size_t rank = 0; rank < rows.size(); ++rank) texts.emplace_back(static_cast<const char*>(rows[rank].data_ptr()), static_cast<size_t>(sizes[rank].item<int64_t>()));
  return texts;
}

at::Tensor Communicator::all_to_all(at::Tensor rows) {
  at::Tensor received = at::empty_like(rows);
  state_->thread.run([&] {
    std::vector<int64_t> even;
    state_->exchange(rows, [&] { state_->group_for(rows)->alltoall_base(received, rows, even, even)->wait(); });
  });
  state_->bytes += static_cast<int64_t>(rows.nbytes()) / world_size() * (world_size() - 1);
  return received;
}

void Communicator::relay(const at::Tensor& bytes, int64_t count, const std::vector<int>& chain) {
  constexpr int64_t kPiece = int64_t{2} << 20;
  const auto found = std::find(chain.begin(), chain.end(), rank());
  const bool takes_part = found != chain.end();
  const auto place = static_cast<int64_t>(found - chain.begin());
  const auto hops = static_cast<int64_t>(chain.size()) - 1;
  const int64_t pieces = (count + kPiece - 1) / kPiece;
  at::Tensor none = at::empty({0}, at::kByte);
  // A chain that is longer than there are pieces would mostly wait for the first one.
  if (hops > pieces) return broadcast({takes_part ? bytes : at::empty({count}, at::kByte)}, chain.front());
  // In round r the rank at place p sends piece r - p, which it got in the round before.
  for (int64_t round = 0; round < pieces + hops - 1; ++round) {
    std::vector<int64_t> out(static_cast<size_t>(world_size()), 0);
    std::vector<int64_t> in = out;
    const auto part = [&](int64_t piece, bool is_there, int64_t neighbour, std::vector<int64_t>& sizes) {
      if (!takes_part || !is_there || piece < 0 || piece >= pieces) return none;
      const int64_t length = std::min(kPiece, count - piece * kPiece);
      sizes[static_cast<size_t>(chain[static_cast<size_t>(neighbour)])] = length;
      return bytes.narrow(0, piece * kPiece, length);
    };
    at::Tensor sent = part(round - place, place < hops, place + 1, out);
    at::Tensor received = part(round - place + 1, place > 0, place - 1, in);
    state_->thread.run([&] { state_->group->alltoall_base(received, sent, in, out)->wait(); });
    state_->bytes += sent.numel();
  }
}

void Communicator::barrier() {
  state_->thread.run([&] { state_->group->barrier()->wait(); });
}

}  // namespace ringlab
