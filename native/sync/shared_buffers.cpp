#include "sync/shared_buffers.h"

#include <ATen/Functions.h>

#include "sync/compressor.h"

namespace ringlab {
namespace {

/// The same memory as a type that Gloo sends: it has no bool and no bfloat16, which need no arithmetic here.
at::Tensor as_sent(const at::Tensor& buffer) {
  switch (buffer.scalar_type()) {
    case at::kFloat:
    case at::kDouble:
    case at::kHalf:
    case at::kLong:
    case at::kInt:
    case at::kChar:
    case at::kByte: return buffer;
    default: break;
  }
  const at::Tensor plain = buffer.is_complex() ? at::view_as_real(buffer) : buffer;
  switch (plain.element_size()) {
    case 1: return plain.view(at::kByte);
    case 2: return plain.view(at::kHalf);
    case 4: return plain.view(at::kInt);
    default: return plain;
  }
}

}  // namespace

void share_buffers(Communicator& communicator, std::vector<at::Tensor> averaged, const std::vector<at::Tensor>& buffers) {
  if (!averaged.empty()) {
    std::vector<at::Tensor> parts;
    for (const auto& one : averaged) parts.push_back(one.reshape({-1}).to(at::kDouble));
    at::Tensor flat = at::cat(parts);
    communicator.allreduce_sum(flat);
    unflatten(flat.div_(static_cast<double>(communicator.world_size())), averaged);
  }
  std::vector<at::Tensor> sent;
  for (const auto& buffer : buffers) {
    // libtorch gives one without values back as a vector, which fits no other shape.
    if (buffer.numel() > 0) sent.push_back(as_sent(buffer));
  }
  communicator.broadcast(sent);
}

}  // namespace ringlab
