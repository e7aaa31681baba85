#include "sync/streamed/streamed_average.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sync/coded_average.h"

namespace ringlab {
namespace {

/// A matrix of zeros counts as one of weights like this.
constexpr double kMinWeight = 1e-3;

std::vector<at::Tensor> vectors_among(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> vectors;
  for (const auto& parameter : parameters) {
    if (parameter.dim() < 2) vectors.push_back(parameter.detach());
  }
  return vectors;
}

/// Flat.
at::Tensor in_memory_order(const at::Tensor& parameter) { return parameter.detach().as_strided({parameter.numel()}, {1}); }

}  // namespace

double stream_matrix_bits(double bits, int64_t matrices, int64_t vectors) {
  const double all = bits * static_cast<double>(matrices + vectors);
  return std::max(all - kVectorBits * static_cast<double>(vectors), all / 2) / static_cast<double>(std::max<int64_t>(matrices, 1));
}

StreamedAverage::StreamedAverage(Communicator& communicator, const std::vector<at::Tensor>& parameters, const SyncMode& mode, StreamWatch::Changed changed)
    : ParameterAverage(communicator, parameters.front().is_cuda()),
      pace_{mode.period, mode.overlap, mode.bits},
      max_period_(static_cast<int>(mode.period)),
      watch_(pace_, mode.adapt, std::move(changed)),
      vectors_(communicator, vectors_among(parameters)) {
  for (const auto& parameter : parameters) {
    if (parameter.dim() < 2) continue;
    if (!parameter.unsafeGetTensorImpl()->is_non_overlapping_and_dense()) throw std::logic_error("a parameter whose values do not lie side by side");
    for (const int64_t stride : parameter.strides()) layout_ = (layout_ * 31 + stride) % (int64_t{1} << 50);
    Matrix matrix{in_memory_order(parameter), {}};
    matrix.local = matrix.is_direct() ? matrix.parameter : matrix.parameter.to(at::TensorOptions(at::kCPU).dtype(at::kFloat));
    matrices_.push_back(std::move(matrix));
  }
  anchor_ = local_matrices();
  for (const auto& chunk : chunks()) encoders_.emplace_back(chunk.lengths, std::numeric_limits<int64_t>::max());
  encoders_.emplace_back(encoders_[static_cast<size_t>(communicator.rank())]);
  set_pace(pace_);
  residual_ = at::zeros({chunks()[static_cast<size_t>(communicator.rank())].count}, at::kFloat);
  measure();
}

StreamedAverage::~StreamedAverage() { abandon(); }

void StreamedAverage::abandon() {
  if (arrived_.valid()) arrived_.wait();
}

/// What is under way does not touch them.
void StreamedAverage::use_memory(const std::vector<at::Tensor>& parameters) {
  auto matrix = matrices_.begin();
  for (const auto& parameter : parameters) {
    if (parameter.dim() < 2) continue;
    matrix->parameter = in_memory_order(parameter);
    if (matrix->is_direct()) matrix->local = matrix->parameter;
    ++matrix;
  }
  vectors_.use_memory(vectors_among(parameters));
}

/// While nothing is under way: messages have the bytes that the pace allows. A saved pace may be of a longer period, from before `adapt` kept to the one that it began with.
void StreamedAverage::set_pace(const StreamPace& pace) {
  pace_ = {std::min(pace.period, max_period_), std::min(pace.overlap, max_period_), pace.bits};
  const double bits = stream_matrix_bits(pace.bits, anchor_.numel(), vectors_.count());
  message_bytes_ = 0;
  for (const auto& encoder : encoders_) message_bytes_ = std::max(message_bytes_, stream_bytes(encoder.lengths(), bits));
  row_bytes_ = message_bytes_ + vectors_.bytes() + watch_.note_bytes();
  for (auto& encoder : encoders_) encoder.set_bytes(message_bytes_);
}

/// What a change of a matrix counts as follows its norm: a network is as sensitive to a small matrix's weights as to a large one's together.
void StreamedAverage::measure() {
  std::vector<float> scales;
  int64_t first = 0;
  for (const auto& matrix : matrices_) {
    const int64_t count = matrix.local.numel();
    const double smallest = kMinWeight * std::sqrt(static_cast<double>(std::max<int64_t>(count, 1)));
    const double norm = anchor_.narrow(0, first, count).norm().item<double>();
    scales.push_back(static_cast<float>(norm > smallest && std::isfinite(norm) ? norm : smallest));
    first += count;
  }
  for (auto& encoder : encoders_) encoder.set_scales(scales);
}

/// All matrices behind one another, a copy.
at::Tensor StreamedAverage::local_matrices() const {
  std::vector<at::Tensor> all;
  for (const auto& matrix : matrices_) all.push_back(matrix.local);
  return all.empty() ? at::empty({0}, at::kFloat) : at::cat(all);
}

void StreamedAverage::set_local_matrices(const at::Tensor& values) {
  int64_t first = 0;
  for (auto& matrix : matrices_) {
    matrix.local.copy_(values.narrow(0, first, matrix.local.numel()));
    first += matrix.local.numel();
  }
}

std::vector<StreamedAverage::Chunk> StreamedAverage::chunks() {
  const int64_t world = communicator_.world_size();
  std::vector<Chunk> all(static_cast<size_t>(world));
  float* anchor = anchor_.data_ptr<float>();
  for (const auto& matrix : matrices_) {
    float* local = matrix.local.data_ptr<float>();
    const int64_t count = matrix.local.numel();
    for (int64_t number = 0; number < world; ++number) {
      const int64_t from = number * count / world;
      Chunk& chunk = all[static_cast<size_t>(number)];
      chunk.lengths.push_back((number + 1) * count / world - from);
      chunk.local.push_back(local + from);
      chunk.anchor.push_back(anchor + from);
      chunk.count += chunk.lengths.back();
    }
    anchor += count;
  }
  return all;
}

/// Of parameters on a GPU, or of another type, `local` is a copy; else both are one tensor, which copy_() leaves as it is.
void StreamedAverage::pull() {
  for (auto& matrix : matrices_) matrix.local.copy_(matrix.parameter);
}

void StreamedAverage::push() {
  for (auto& matrix : matrices_) matrix.parameter.copy_(matrix.local);
}

void StreamedAverage::after_step(int64_t step, double) {
  step_ = step + 1;
  together_ = false;
  ++position_;
  ++age_;
  const bool lands = flying_ && age_ >= pace_.overlap;
  const bool sends = position_ >= pace_.period;
  if (!lands && !sends) return;
  pull();
  if (sends) position_ = 0;
  if (lands && sends) land_and_send();
  else if (lands) land();
  else send(encode_changes());
  if (pace_.overlap == 0 && flying_) land();
  push();
}

/// In four bits a value: what of A - w is rounded off is lost, a hundredth of what little differs then. An owner's residual is its own to add, and
/// counts as a rank's share of the mean.
void StreamedAverage::average_exactly() {
  at::Tensor change = anchor_.sub(local_matrices());
  const Chunk own = chunks()[static_cast<size_t>(communicator_.rank())];
  int64_t first = 0;
  for (size_t k = 0; k < own.lengths.size(); ++k) {
    const int64_t at = own.anchor[k] - anchor_.data_ptr<float>();
    change.narrow(0, at, own.lengths[k]).add_(residual_.narrow(0, first, own.lengths[k]), static_cast<double>(communicator_.world_size()));
    first += own.lengths[k];
  }
  if (change.numel() > 0) anchor_.sub_(coded_mean(communicator_, change, *make_integer_codec(4), nullptr));
  residual_.zero_();
  ++landed_;
  landed_step_ = step_;
}

void StreamedAverage::synchronise(bool last) {
  if (together_) return;
  pull();
  if (flying_) land();
  if (last) average_exactly();
  else apart_ = local_matrices();
  set_local_matrices(anchor_);
  push();
  vectors_.synchronise(communicator_);
  ++landed_;
  position_ = 0;
  together_ = true;
  measure();
}

void StreamedAverage::keep_own() {
  if (!apart_.defined()) return;
  set_local_matrices(apart_);
  push();
  apart_.reset();
  together_ = false;
}

}  // namespace ringlab
