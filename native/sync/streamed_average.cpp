#include "sync/streamed_average.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

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

StreamedAverage::StreamedAverage(Communicator& communicator, const std::vector<at::Tensor>& parameters, const SyncMode& mode)
    : ParameterAverage(communicator, parameters.front().is_cuda()), period_(mode.period), overlap_(mode.overlap), vectors_(communicator, vectors_among(parameters)) {
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
  const double bits = stream_matrix_bits(mode.bits, anchor_.numel(), vectors_.count());
  const auto all = chunks();
  for (const auto& chunk : all) message_bytes_ = std::max(message_bytes_, stream_bytes(chunk.lengths, bits));
  row_bytes_ = message_bytes_ + vectors_.bytes();
  for (const auto& chunk : all) encoders_.emplace_back(chunk.lengths, message_bytes_);
  encoders_.emplace_back(all[static_cast<size_t>(communicator.rank())].lengths, message_bytes_);
  residual_ = at::zeros({all[static_cast<size_t>(communicator.rank())].count});
  measure();
}

StreamedAverage::~StreamedAverage() {
  if (arrived_.valid()) arrived_.wait();
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
  const bool lands = flying_ && age_ >= overlap_;
  const bool sends = position_ >= period_;
  if (!lands && !sends) return;
  pull();
  if (lands) land();
  if (sends) {
    position_ = 0;
    send();
    if (overlap_ == 0) land();
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
  flying_ = true;
  age_ = 0;
  arrived_ = start([this] { exchange(); });
}

/// In the communicator's thread. Touches what is sent, the means and the residuals alone.
void StreamedAverage::exchange() {
  const int64_t world = communicator_.world_size();
  const at::Tensor received = communicator_.all_to_all(sent_);
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
  const at::Tensor mean = at::empty({1, row_bytes_}, at::kByte);
  encoders_.back().encode(sums, row_of(mean, 0));
  StreamDecoder(row_of(mean, 0), message_bytes_, lengths).each([&](size_t k, int64_t at, float value) { residual[k][at] -= value; });
  vectors_.sum(received, mean, message_bytes_);
  means_ = at::cat(communicator_.all_gather(mean));
}

/// The local copies must be up to date.
void StreamedAverage::land() {
  wait(arrived_);
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
  sent_.reset();
  means_.reset();
  flying_ = false;
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

NamedTensors StreamedAverage::state() {
  if (arrived_.valid()) arrived_.get();
  std::vector<float> encoders;
  for (const auto& encoder : encoders_) {
    const auto numbers = encoder.state();
    encoders.insert(encoders.end(), numbers.begin(), numbers.end());
  }
  NamedTensors out = vectors_.state(!together_);
  out.emplace_back("residual", residual_);
  out.emplace_back("encoders", at::tensor(encoders));
  out.emplace_back("places", at::tensor({layout_, position_, age_, int64_t{flying_}, int64_t{!together_ ? 0 : apart_.defined() ? 2 : 1}}, at::kLong));
  if (apart_.defined()) out.emplace_back("apart", apart_);
  if (together_) return out;
  pull();
  out.emplace_back("anchor", anchor_);
  out.emplace_back("local", local_matrices());
  if (!flying_) return out;
  out.emplace_back("sent", sent_);
  out.emplace_back("means", means_);
  return out;
}

void StreamedAverage::load_state(const NamedTensors& state) {
  const auto take = [&](const std::string& name, const at::Tensor& like) {
    for (const auto& [key, tensor] : state) {
      if (key != name) continue;
      if (tensor.sizes() != like.sizes() || tensor.scalar_type() != like.scalar_type()) throw std::runtime_error("'" + name + "' is another model's");
      return tensor.cpu().clone();
    }
    throw std::runtime_error("has no '" + name + "'");
  };
  size_t numbers = 0;
  for (const auto& encoder : encoders_) numbers += encoder.state_size();
  const at::Tensor places = take("places", at::empty({5}, at::kLong));
  const int64_t* place = places.data_ptr<int64_t>();
  if (place[0] != layout_) throw std::runtime_error("was saved of weights in another order: resume it with the --channels-last that it had");
  residual_ = take("residual", residual_);
  const at::Tensor encoders = take("encoders", at::empty({static_cast<int64_t>(numbers)}));
  const float* next = encoders.data_ptr<float>();
  for (auto& encoder : encoders_) {
    encoder.load_state(next);
    next += encoder.state_size();
  }
  position_ = std::clamp<int64_t>(place[1], 0, period_ - 1);
  age_ = std::max<int64_t>(0, place[2]);
  flying_ = place[3] != 0;
  together_ = place[4] == 1 || place[4] == 2;
  if (place[4] == 2) apart_ = take("apart", anchor_);
  vectors_.load_state(!together_, take);
  if (together_) return;
  anchor_ = take("anchor", anchor_);
  set_local_matrices(take("local", anchor_));
  push();
  if (!flying_) return;
  const at::Tensor rows = at::empty({communicator_.world_size(), row_bytes_}, at::kByte);
  sent_ = take("sent", rows);
  means_ = take("means", rows);
}

}  // namespace ringlab
