#include "sync/top_k.h"

#include <ATen/Functions.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace ringlab {
namespace {

constexpr int64_t kBlock = 65536;

int64_t chosen(double fraction, int64_t count) { return std::min(count, static_cast<int64_t>(std::ceil(fraction * static_cast<double>(count)))); }

int64_t bytes_of(double fraction, int64_t count) {
  int64_t bytes = 0;
  for (int64_t at = 0; at < count; at += kBlock) bytes += 4 + 4 * chosen(fraction, std::min(kBlock, count - at));
  return bytes;
}

struct Entry {
  uint16_t place;
  c10::Half value;
};
static_assert(sizeof(Entry) == 4, "an entry is 4 bytes on the wire");

void encode(const float* values, int64_t count, double fraction, uint8_t* out) {
  std::vector<uint16_t> places;
  for (int64_t at = 0; at < count; at += kBlock) {
    const float* block = values + at;
    const int64_t length = std::min(kBlock, count - at);
    const int64_t keep = chosen(fraction, length);
    places.resize(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i) places[static_cast<size_t>(i)] = static_cast<uint16_t>(i);
    // Equal magnitudes by place, so that the choice does not depend on the library. A NaN counts as the largest.
    const auto weight = [&](uint16_t i) { return std::isnan(block[i]) ? INFINITY : std::fabs(block[i]); };
    std::nth_element(places.begin(), places.begin() + (keep - 1), places.end(), [&](uint16_t a, uint16_t b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; });
    std::sort(places.begin(), places.begin() + keep);
    float scale = 0;
    for (int64_t i = 0; i < keep; ++i) scale = std::max(scale, weight(places[static_cast<size_t>(i)]));
    if (!std::isfinite(scale)) scale = NAN;
    std::memcpy(out, &scale, sizeof scale);
    out += sizeof scale;
    for (int64_t i = 0; i < keep; ++i) {
      const uint16_t place = places[static_cast<size_t>(i)];
      const Entry entry{place, c10::Half(scale > 0 ? block[place] / scale : 0.0F)};
      std::memcpy(out, &entry, sizeof entry);
      out += sizeof entry;
    }
  }
}

/// Adds the decoded values times `factor`. A place outside of its block, which no rank of ours sends, is left out.
void add_decoded(const uint8_t* in, int64_t count, double fraction, float factor, float* values) {
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t length = std::min(kBlock, count - at);
    const int64_t keep = chosen(fraction, length);
    float scale = 0;
    std::memcpy(&scale, in, sizeof scale);
    in += sizeof scale;
    for (int64_t i = 0; i < keep; ++i) {
      Entry entry{};
      std::memcpy(&entry, in, sizeof entry);
      in += sizeof entry;
      if (entry.place < length) values[at + entry.place] += factor * (static_cast<float>(entry.value) * scale);
    }
  }
}

}  // namespace

TopK::TopK(Communicator& communicator, const std::vector<at::Tensor>& parameters, double fraction)
    : communicator_(communicator), fraction_(fraction), errors_(parameters.size()) {
  for (const auto& parameter : parameters) lengths_.push_back(parameter.numel());
}

void TopK::average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) {
  at::Tensor flat = flatten(values).cpu();
  int64_t at = 0;
  for (const size_t index : which) {
    if (errors_[index].defined()) flat.narrow(0, at, lengths_[index]).add_(errors_[index]);
    at += lengths_[index];
  }
  const int64_t count = flat.numel();
  at::Tensor sent = at::empty({bytes_of(fraction_, count)}, at::kByte);
  encode(flat.data_ptr<float>(), count, fraction_, sent.data_ptr<uint8_t>());
  const auto all = communicator_.all_gather(sent);
  at::Tensor mean = at::zeros({count}, at::kFloat);
  for (const auto& one : all) add_decoded(one.data_ptr<uint8_t>(), count, fraction_, 1.0F / static_cast<float>(all.size()), mean.data_ptr<float>());
  unflatten(mean, values);
  // Equal on all ranks. A number that is none (an overflow in fp16, after which GradScaler leaves out the step) would stay in what is kept for good.
  if (!at::isfinite(mean).all().item<bool>()) return;
  add_decoded(sent.data_ptr<uint8_t>(), count, fraction_, -1, flat.data_ptr<float>());
  at = 0;
  for (const size_t index : which) {
    const at::Tensor left = flat.narrow(0, at, lengths_[index]);
    if (errors_[index].defined()) errors_[index].copy_(left);
    else errors_[index] = left.clone();
    at += lengths_[index];
  }
}

NamedTensors TopK::state() const {
  NamedTensors out;
  for (size_t i = 0; i < errors_.size(); ++i) {
    if (errors_[i].defined()) out.emplace_back("error." + std::to_string(i), errors_[i]);
  }
  return out;
}

void TopK::load_state(const NamedTensors& state) {
  for (const auto& [name, tensor] : state) {
    const size_t dot = name.rfind('.');
    const size_t index = name.substr(0, dot) == "error" ? std::stoul(name.substr(dot + 1)) : errors_.size();
    if (index >= errors_.size()) throw std::runtime_error("holds '" + name + "', which top-k does not keep");
    if (tensor.numel() != lengths_[index]) throw std::runtime_error("'" + name + "' has another shape: another model");
    errors_[index] = tensor.to(at::kCPU, at::kFloat).clone().view({-1});
  }
}

}  // namespace ringlab
