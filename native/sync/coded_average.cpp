#include "sync/coded_average.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <stdexcept>

namespace ringlab {

at::Tensor coded_mean(Communicator& communicator, const at::Tensor& flat, const Codec& codec, CodingError* error) {
  const int64_t world = communicator.world_size();
  const int64_t rank = communicator.rank();
  const int64_t block = codec.block();
  const int64_t count = flat.numel();
  const int64_t chunk = ((count + world - 1) / world + block - 1) / block * block;
  const int64_t bytes = codec.bytes(chunk);

  at::Tensor values = at::zeros({world * chunk}, at::kFloat);
  values.narrow(0, 0, count).copy_(flat);
  if (error != nullptr && error->own.defined()) values.add_(error->own);
  at::Tensor sent = at::empty({world, bytes}, at::kByte);
  for (int64_t to = 0; to < world; ++to) codec.encode(values.data_ptr<float>() + to * chunk, chunk, sent.data_ptr<uint8_t>() + to * bytes);
  const at::Tensor received = communicator.all_to_all(sent);

  at::Tensor decoded = at::empty({chunk}, at::kFloat);
  at::Tensor mean = at::zeros({chunk}, at::kFloat);
  for (int64_t from = 0; from < world; ++from) {
    codec.decode(received.data_ptr<uint8_t>() + from * bytes, chunk, decoded.data_ptr<float>());
    mean.add_(decoded);
  }
  mean.mul_(1.0 / static_cast<double>(world));
  if (error != nullptr && error->chunk.defined()) mean.add_(error->chunk);
  at::Tensor coded = at::empty({bytes}, at::kByte);
  codec.encode(mean.data_ptr<float>(), chunk, coded.data_ptr<uint8_t>());
  const auto all = communicator.all_gather(coded);

  if (error != nullptr) {
    at::Tensor own = at::empty({world * chunk}, at::kFloat);
    for (int64_t to = 0; to < world; ++to) codec.decode(sent.data_ptr<uint8_t>() + to * bytes, chunk, own.data_ptr<float>() + to * chunk);
    error->own = values.sub_(own);
  }
  at::Tensor result = at::empty({world * chunk}, at::kFloat);
  for (int64_t from = 0; from < world; ++from) codec.decode(all[static_cast<size_t>(from)].data_ptr<uint8_t>(), chunk, result.data_ptr<float>() + from * chunk);
  if (error != nullptr) error->chunk = mean.sub_(result.narrow(0, rank * chunk, chunk));
  return result.narrow(0, 0, count);
}

void CodedAverage::average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) {
  if (which.empty()) return;
  if (!codec_->coarse()) {
    unflatten(coded_mean(communicator_, flatten(values).cpu(), *codec_, nullptr), values);
    return;
  }
  // Biases and batch norms are few, and of other magnitudes than the matrices beside which they lie: they go as they are.
  std::vector<at::Tensor> vectors;
  std::vector<at::Tensor> matrices;
  size_t first = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].dim() < 2) {
      vectors.push_back(values[i]);
      continue;
    }
    if (matrices.empty()) first = which[i];
    matrices.push_back(values[i]);
  }
  if (!matrices.empty()) unflatten(coded_mean(communicator_, flatten(matrices).cpu(), *codec_, &errors_[first]), matrices);
  if (vectors.empty()) return;
  at::Tensor flat = flatten(vectors).mul_(1.0 / static_cast<double>(communicator_.world_size()));
  communicator_.allreduce_sum(flat);
  unflatten(flat, vectors);
}

NamedTensors CodedAverage::state() const {
  NamedTensors out;
  for (const auto& [first, error] : errors_) {
    out.emplace_back("error.own." + std::to_string(first), error.own);
    out.emplace_back("error.chunk." + std::to_string(first), error.chunk);
  }
  return out;
}

void CodedAverage::load_state(const NamedTensors& state) {
  std::map<size_t, CodingError> errors;
  for (const auto& [name, tensor] : state) {
    const size_t dot = name.rfind('.');
    const std::string kind = name.substr(0, dot);
    if (!codec_->coarse() || (kind != "error.own" && kind != "error.chunk")) throw std::runtime_error("holds '" + name + "', which this way of averaging does not keep");
    CodingError& error = errors[std::stoul(name.substr(dot + 1))];
    (kind == "error.own" ? error.own : error.chunk) = tensor.to(at::kCPU, at::kFloat).clone();
  }
  errors_ = std::move(errors);
}

}  // namespace ringlab
