#include "comm/collectives/share_model.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/xxh64.h"

namespace ringlab {
namespace {

/// One line a tensor.
std::vector<std::string> layout_of(const NamedModel& model) {
  std::vector<std::string> lines;
  for (const auto& [name, tensor] : model) {
    std::ostringstream line;
    line << name << " (" << c10::toString(tensor.scalar_type()) << ' ' << tensor.sizes() << ')';
    lines.push_back(line.str());
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

/// The same 64 bits: not every libtorch has tensors of uint64.
int64_t as_signed(uint64_t hash) { return static_cast<int64_t>(hash); }

/// In the order of the tensors' indices: memory formats may differ.
at::Tensor hashes_of(const NamedModel& model) {
  at::Tensor hashes = at::empty({static_cast<int64_t>(model.size())}, at::kLong);
  auto* into = hashes.data_ptr<int64_t>();
  for (const auto& [name, tensor] : model) {
    const at::Tensor values = tensor.detach().cpu().contiguous();
    *into++ = as_signed(xxh64(values.data_ptr(), values.nbytes()));
  }
  return hashes;
}

/// The first difference from rank 0's layout, for an error message; "" if there is none.
std::string difference(const std::vector<std::string>& own, const std::string& first) {
  std::istringstream lines(first);
  std::string wanted;
  for (const auto& line : own) {
    if (!std::getline(lines, wanted)) return line + ", which rank 0 does not have";
    if (line != wanted) return line + ", rank 0 has " + wanted;
  }
  return std::getline(lines, wanted) ? "no " + wanted + ", which rank 0 has" : "";
}

[[noreturn]] void refuse(Communicator& communicator, const std::vector<std::string>& own) {
  std::string first = joined(own);
  communicator.broadcast_bytes(first);
  const auto answers = communicator.gather_texts(difference(own, first));
  std::string differing;
  for (size_t rank = 0; rank < answers.size(); ++rank) {
    if (!answers[rank].empty()) differing += (differing.empty() ? "" : "; ") + std::string("rank ") + std::to_string(rank) + " has " + answers[rank];
  }
  throw Failure(ErrorCode::peer_disagrees, "the ranks' models differ: " + differing, "are all ranks of one version, with the same options and classes?");
}

}  // namespace

Lacks agree_on_lacking(Communicator& communicator, at::Tensor hashes, const std::function<bool(size_t piece, int64_t hash)>& has, int root) {
  communicator.broadcast({hashes}, root);
  at::Tensor lacks = at::zeros({hashes.numel()}, at::kByte);
  for (int64_t i = 0; i < hashes.numel(); ++i) {
    if (!has(static_cast<size_t>(i), hashes.data_ptr<int64_t>()[i])) lacks.data_ptr<uint8_t>()[i] = 1;
  }
  const auto rows = communicator.all_gather(lacks);
  Lacks agreed{std::vector<bool>(static_cast<size_t>(hashes.numel())), {root}};
  for (int step = 1; step < communicator.world_size(); ++step) {
    const int rank = (root + step) % communicator.world_size();
    const auto* row = rows[static_cast<size_t>(rank)].data_ptr<uint8_t>();
    bool any = false;
    for (size_t i = 0; i < agreed.pieces.size(); ++i) {
      if (row[i] == 0) continue;
      any = true;
      agreed.pieces[i] = true;
    }
    if (any) agreed.chain.push_back(rank);
  }
  return agreed;
}

void send_along(Communicator& communicator, const std::vector<at::Tensor>& tensors, const std::vector<int>& chain) {
  // Bounds the copy, which is what crosses the network.
  constexpr int64_t kBufferBytes = int64_t{64} << 20;
  const bool takes_part = std::find(chain.begin(), chain.end(), communicator.rank()) != chain.end();
  const bool sends = communicator.rank() == chain.front();
  for (size_t first = 0; first < tensors.size();) {
    size_t last = first;
    int64_t count = 0;
    while (last < tensors.size() && (last == first || count + static_cast<int64_t>(tensors[last].nbytes()) <= kBufferBytes)) count += static_cast<int64_t>(tensors[last++].nbytes());
    at::Tensor buffer = at::empty({takes_part ? count : 0}, at::kByte);
    auto* bytes = buffer.data_ptr<uint8_t>();
    for (size_t i = first; sends && i < last; ++i) {
      const at::Tensor values = tensors[i].cpu().contiguous();
      if (values.numel() > 0) std::memcpy(bytes, values.data_ptr(), values.nbytes());
      bytes += values.nbytes();
    }
    communicator.relay(buffer, count, chain);
    for (size_t i = first; takes_part && !sends && i < last; ++i) {
      at::Tensor values = at::empty(tensors[i].sizes(), tensors[i].options().device(at::kCPU).memory_format(at::MemoryFormat::Contiguous));
      if (values.numel() > 0) std::memcpy(values.data_ptr(), bytes, values.nbytes());
      bytes += values.nbytes();
      tensors[i].copy_(values);
    }
    first = last;
  }
}

Lacking share_model(Communicator& communicator, const NamedModel& model, const std::function<void(const Lacking&)>& before_sending, int root) {
  const auto layout = layout_of(model);
  const std::string layout_text = joined(layout);
  const at::Tensor own = hashes_of(model);
  const auto rows = communicator.all_gather(at::tensor({static_cast<int64_t>(model.size()), as_signed(xxh64(layout_text.data(), layout_text.size())),
                                                        as_signed(xxh64(own.data_ptr(), own.nbytes()))},
                                                       at::kLong));
  const auto equals_first = [&](int64_t from, int64_t to) {
    return std::all_of(rows.begin(), rows.end(), [&](const at::Tensor& row) { return at::equal(row.slice(0, from, to), rows.front().slice(0, from, to)); });
  };
  // All ranks have the same rows, so all take the same branch, and the tensors of later collectives have equal sizes.
  if (!equals_first(0, 2)) refuse(communicator, layout);
  if (equals_first(2, 3)) return {};
  const auto lacks = agree_on_lacking(communicator, own.clone(), [&own](size_t i, int64_t hash) { return own.data_ptr<int64_t>()[i] == hash; }, root);
  std::vector<at::Tensor> sent;
  Lacking lacking;
  for (size_t i = 0; i < model.size(); ++i) {
    if (!lacks.pieces[i]) continue;
    sent.push_back(model[i].second.detach());
    lacking.bytes += static_cast<int64_t>(sent.back().nbytes());
  }
  lacking.tensors = static_cast<int64_t>(sent.size());
  if (sent.empty()) return lacking;
  if (before_sending) before_sending(lacking);
  send_along(communicator, sent, lacks.chain);
  return lacking;
}

}  // namespace ringlab
