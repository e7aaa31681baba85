#include "sync/streamed/vector_stream.h"

#include <ATen/Functions.h>

#include <utility>

#include "sync/coded_average.h"

namespace ringlab {

bool stand_on(const at::Tensor& values, const at::Tensor& anchor) { return values.to(at::kFloat).equal(anchor.to(values.options()).to(at::kFloat)); }

VectorStream::VectorStream(const Communicator& communicator, std::vector<at::Tensor> vectors)
    : codec_(make_fp16_codec()), world_(communicator.world_size()), rank_(communicator.rank()), vectors_(std::move(vectors)), anchor_(flatten(vectors_).cpu()) {
  const int64_t blocks = world_ * codec_->block();
  chunk_ = (anchor_.numel() + blocks - 1) / blocks * codec_->block();
  residual_ = at::zeros({chunk_}, at::kFloat);
}

/// With room for whole chunks.
at::Tensor VectorStream::change() const {
  at::Tensor change = at::zeros({world_ * chunk_}, at::kFloat);
  change.narrow(0, 0, count()).copy_(anchor_.sub(flatten(vectors_).cpu()));
  return change;
}

/// A chunk of each row, behind one another.
at::Tensor VectorStream::decoded(const at::Tensor& rows, int64_t from) const {
  at::Tensor values = at::empty({rows.size(0) * chunk_}, at::kFloat);
  for (int64_t row = 0; row < rows.size(0); ++row) {
    codec_->decode(rows.data_ptr<uint8_t>() + row * rows.size(1) + from, chunk_, values.data_ptr<float>() + row * chunk_);
  }
  return values;
}

void VectorStream::encode(const at::Tensor& rows, int64_t from) const {
  const at::Tensor values = change();
  for (int64_t row = 0; row < world_; ++row) {
    codec_->encode(values.data_ptr<float>() + row * chunk_, chunk_, rows.data_ptr<uint8_t>() + row * rows.size(1) + from);
  }
}

void VectorStream::sum(const at::Tensor& received, const at::Tensor& mean, int64_t from) {
  residual_.add_(decoded(received, from).view({world_, chunk_}).sum(0), 1.0 / static_cast<double>(world_));
  codec_->encode(residual_.data_ptr<float>(), chunk_, mean.data_ptr<uint8_t>() + from);
  residual_.sub_(decoded(mean, from));
}

void VectorStream::land(const at::Tensor& sent, const at::Tensor& means, int64_t from) {
  const at::Tensor step = decoded(means, from).narrow(0, 0, count());
  move(changes_in(sent, from).sub_(step));
  anchor_.sub_(step);
}

bool VectorStream::stand_on_anchor() const {
  int64_t first = 0;
  for (const auto& vector : vectors_) {
    if (!stand_on(vector, anchor_.narrow(0, first, vector.numel()).view_as(vector))) return false;
    first += vector.numel();
  }
  return true;
}

void VectorStream::synchronise(Communicator& communicator) {
  if (count() == 0) return;
  at::Tensor values = change();
  // An owner's residual is its own to add, and counts as a rank's share of the mean.
  values.narrow(0, rank_ * chunk_, chunk_).add_(residual_, static_cast<double>(world_));
  anchor_.sub_(coded_mean(communicator, values, *make_fp16_codec(), nullptr).narrow(0, 0, count()));
  unflatten(anchor_, vectors_);
  residual_.zero_();
}

NamedTensors VectorStream::state(bool apart) const {
  NamedTensors out{{"vectors_residual", residual_}};
  if (!apart) return out;
  out.emplace_back("vectors_anchor", anchor_);
  out.emplace_back("vectors_local", flatten(vectors_).cpu());
  return out;
}

}  // namespace ringlab
