#include "sync/streamed_average.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "sync/coded_average.h"

namespace ringlab {
namespace {

constexpr double kVectorBits = 16;
/// A matrix of zeros counts as one of weights like this.
constexpr double kSmallestWeight = 1e-3;

uint8_t* row_of(const at::Tensor& rows, int64_t row) { return rows.data_ptr<uint8_t>() + row * rows.size(1); }

std::vector<at::Tensor> vectors_among(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> vectors;
  for (const auto& parameter : parameters) {
    if (parameter.dim() < 2) vectors.push_back(parameter.detach());
  }
  return vectors;
}

}  // namespace

double stream_matrix_bits(double bits, int64_t matrices, int64_t vectors) {
  const double all = bits * static_cast<double>(matrices + vectors);
  return std::max(all - kVectorBits * static_cast<double>(vectors), all / 2) / static_cast<double>(std::max<int64_t>(matrices, 1));
}

StreamedAverage::StreamedAverage(Communicator& communicator, const std::vector<at::Tensor>& parameters, const SyncMode& mode, int64_t longest,
                                 StreamWatch::Changed changed)
    : ParameterAverage(communicator, parameters.front().is_cuda()),
      pace_{mode.period, mode.overlap, mode.bits},
      watch_(pace_, mode.adapt, longest, std::move(changed)),
      vectors_(communicator, vectors_among(parameters)) {
  for (const auto& parameter : parameters) {
    if (parameter.dim() < 2) continue;
    if (!parameter.unsafeGetTensorImpl()->is_non_overlapping_and_dense()) throw std::logic_error("a parameter whose values do not lie side by side");
    for (const int64_t stride : parameter.strides()) layout_ = (layout_ * 31 + stride) % (int64_t{1} << 50);
    Matrix matrix{parameter.detach().as_strided({parameter.numel()}, {1}), {}};
    const bool direct = matrix.parameter.is_cpu() && matrix.parameter.scalar_type() == at::kFloat;
    matrix.local = direct ? matrix.parameter : matrix.parameter.to(at::TensorOptions(at::kCPU).dtype(at::kFloat));
    matrices_.push_back(std::move(matrix));
  }
  anchor_ = local_matrices();
  for (const auto& chunk : chunks()) encoders_.emplace_back(chunk.lengths, std::numeric_limits<int64_t>::max());
  encoders_.emplace_back(encoders_[static_cast<size_t>(communicator.rank())]);
  set_pace(pace_);
  residual_ = at::zeros({chunks()[static_cast<size_t>(communicator.rank())].count});
  measure();
}

StreamedAverage::~StreamedAverage() {
  if (arrived_.valid()) arrived_.wait();
}

/// While nothing is under way: messages have the bytes that the pace allows.
void StreamedAverage::set_pace(const StreamPace& pace) {
  pace_ = pace;
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
    const double smallest = kSmallestWeight * std::sqrt(static_cast<double>(std::max<int64_t>(count, 1)));
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
  return all.empty() ? at::empty({0}) : at::cat(all);
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

void StreamedAverage::after_step(int64_t, double) {
  together_ = false;
  ++position_;
  ++age_;
  const bool lands = flying_ && age_ >= pace_.overlap;
  const bool sends = position_ >= pace_.period;
  if (!lands && !sends) return;
  pull();
  if (lands) land();
  if (sends) {
    position_ = 0;
    send();
    if (pace_.overlap == 0) land();
  }
  push();
}

void StreamedAverage::send() {
  const int64_t world = communicator_.world_size();
  sent_ = at::empty({world, row_bytes_}, at::kByte);
  const auto all = chunks();
  at::parallel_for(0, world, 1, [&](int64_t begin, int64_t end) {
    for (int64_t to = begin; to < end; ++to) {
      const Chunk& chunk = all[static_cast<size_t>(to)];
      std::vector<Difference> changes;
      for (size_t k = 0; k < chunk.lengths.size(); ++k) changes.push_back({chunk.anchor[k], chunk.local[k], chunk.lengths[k]});
      encoders_[static_cast<size_t>(to)].encode(changes, row_of(sent_, to));
    }
  });
  vectors_.encode(sent_, message_bytes_);
  sign(sent_);
  flying_ = true;
  age_ = 0;
  sent_at_ = steady_seconds();
  take_behind();
  arrived_ = start([this] { exchange(); });
}

/// What this rank saw of the exchange before, and what it sends now.
void StreamedAverage::sign(const at::Tensor& rows) const {
  double energy = 0;
  double sent = 0;
  for (size_t k = 0; k + 1 < encoders_.size(); ++k) {
    energy += encoders_[k].energy();
    sent += encoders_[k].sent_energy();
  }
  for (int64_t row = 0; row < rows.size(0); ++row) watch_.sign(row_of(rows, row), row_bytes_, energy, sent, matrices_.size());
}

/// In the communicator's thread. Touches what is sent, the means, the residuals and the rule alone.
void StreamedAverage::exchange() {
  const int64_t world = communicator_.world_size();
  double began = steady_seconds();
  const at::Tensor received = communicator_.all_to_all(sent_);
  exchange_seconds_ = steady_seconds() - began;
  const auto& lengths = encoders_.back().lengths();
  std::vector<float*> residual;
  std::vector<Difference> sums;
  float* piece = residual_.data_ptr<float>();
  for (const int64_t length : lengths) {
    residual.push_back(piece);
    sums.push_back({piece, nullptr, length});
    piece += length;
  }
  const float each = 1.0F / static_cast<float>(world);
  for (int64_t from = 0; from < world; ++from) {
    StreamDecoder(row_of(received, from), message_bytes_, lengths).each([&](size_t k, int64_t at, float value) { residual[k][at] += value * each; });
  }
  const at::Tensor mean = at::zeros({1, row_bytes_}, at::kByte);
  encoders_.back().encode(sums, row_of(mean, 0));
  StreamDecoder(row_of(mean, 0), message_bytes_, lengths).each([&](size_t k, int64_t at, float value) { residual[k][at] -= value; });
  vectors_.sum(received, mean, message_bytes_);
  if (communicator_.rank() == 0) {
    std::vector<const uint8_t*> rows;
    for (int64_t from = 0; from < world; ++from) rows.push_back(row_of(received, from));
    watch_.judge(rows, row_of(mean, 0), row_bytes_);
  }
  began = steady_seconds();
  means_ = at::cat(communicator_.all_gather(mean));
  exchange_seconds_ += steady_seconds() - began;
}

/// The local copies must be up to date.
void StreamedAverage::land() {
  const double hidden = steady_seconds() - sent_at_ - take_behind();
  wait(arrived_);
  // Of an exchange of the run before nothing is known.
  const bool own = sent_at_ > 0;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  watch_.saw_exchange(own ? exchange_seconds_ : kUnknown, own ? hidden : kUnknown);
  const int64_t world = communicator_.world_size();
  const auto all = chunks();
  at::parallel_for(0, world, 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const Chunk& chunk = all[static_cast<size_t>(number)];
      StreamDecoder(row_of(sent_, number), message_bytes_, chunk.lengths).each([&](size_t k, int64_t at, float value) { chunk.local[k][at] += value; });
      StreamDecoder(row_of(means_, number), message_bytes_, chunk.lengths).each([&](size_t k, int64_t at, float value) {
        chunk.local[k][at] -= value;
        chunk.anchor[k][at] -= value;
      });
    }
  });
  vectors_.land(sent_, means_, message_bytes_);
  flying_ = false;
  const auto pace = watch_.follow(pace_, row_of(means_, 0), row_bytes_);
  sent_.reset();
  means_.reset();
  if (pace) set_pace(*pace);
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
  position_ = 0;
  together_ = true;
  measure();
}

void StreamedAverage::begin_steps() {
  if (!apart_.defined()) return;
  set_local_matrices(apart_);
  push();
  apart_.reset();
  together_ = false;
}

}  // namespace ringlab
