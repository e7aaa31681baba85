#include "sync/compressor.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <map>
#include <stdexcept>

#include "sync/codec.h"
#include "sync/coded_average.h"
#include "sync/power_sgd.h"
#include "sync/top_k.h"

namespace ringlab {
namespace {

/// An all-reduce of everything in one message a type.
class PlainAverage : public Compressor {
 public:
  explicit PlainAverage(Communicator& communicator) : communicator_(communicator) {}

  void average(const std::vector<size_t>&, std::vector<at::Tensor>& values) override {
    std::map<at::ScalarType, std::vector<size_t>> types;
    for (size_t i = 0; i < values.size(); ++i) types[values[i].scalar_type()].push_back(i);
    for (const auto& [type, members] : types) {
      std::vector<at::Tensor> parts;
      for (const size_t i : members) parts.push_back(values[i].reshape({-1}));
      at::Tensor flat = at::cat(parts).mul_(1.0 / communicator_.world_size());
      communicator_.allreduce_sum(flat);
      int64_t at = 0;
      for (const size_t i : members) {
        values[i].copy_(flat.narrow(0, at, values[i].numel()).view_as(values[i]));
        at += values[i].numel();
      }
    }
  }

 private:
  Communicator& communicator_;
};

}  // namespace

void Compressor::load_state(const NamedTensors& state) {
  if (!state.empty()) throw std::runtime_error("holds '" + state.front().first + "', which this way of averaging does not keep");
}

at::Tensor flatten(const std::vector<at::Tensor>& values) {
  std::vector<at::Tensor> parts;
  for (const auto& value : values) parts.push_back(value.reshape({-1}).to(at::kFloat));
  return parts.empty() ? at::empty({0}, at::kFloat) : at::cat(parts);
}

void unflatten(const at::Tensor& flat, std::vector<at::Tensor>& values) {
  int64_t at = 0;
  for (auto& value : values) {
    value.copy_(flat.narrow(0, at, value.numel()).view_as(value));
    at += value.numel();
  }
}

std::unique_ptr<Compressor> make_compressor(const SyncMode& mode, Communicator& communicator, const std::vector<at::Tensor>& parameters) {
  switch (mode.compression) {
    case Compression::none: return std::make_unique<PlainAverage>(communicator);
    case Compression::fp16: return std::make_unique<CodedAverage>(communicator, make_fp16_codec());
    case Compression::bf16: return std::make_unique<CodedAverage>(communicator, make_bf16_codec());
    case Compression::int8: return std::make_unique<CodedAverage>(communicator, make_integer_codec(8));
    case Compression::int4: return std::make_unique<CodedAverage>(communicator, make_integer_codec(4));
    case Compression::sparse: return std::make_unique<CodedAverage>(communicator, make_sparse_codec(mode.bits));
    case Compression::powersgd: return std::make_unique<PowerSgd>(communicator, parameters, PowerSgdSettings{mode.rank, mode.half_factors});
    case Compression::topk: return std::make_unique<TopK>(communicator, parameters, mode.fraction);
    case Compression::stream: break;  // StreamedAverage
  }
  throw std::logic_error("no such compression");
}

}  // namespace ringlab
