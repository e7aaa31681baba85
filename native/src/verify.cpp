#include "src/verify.h"

#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "comm/collectives/communicator.h"
#include "compat/cuda_device.h"
#include "train/device/device.h"

namespace ringlab {
namespace {

[[noreturn]] void wrong(const std::string& what) { throw std::runtime_error(what); }

/// The text of a c10 error without its C++ stack.
std::string plain_words(const std::string& what) {
  const size_t stack = what.find("\nException raised from");
  return what.substr(0, stack);
}

constexpr int64_t kBatch = 2;
constexpr int64_t kIn = 3;
constexpr int64_t kOut = 4;
constexpr int64_t kEdge = 9;
constexpr int64_t kKernel = 3;

/// Small integers, which float, TF32 and the sums over them represent exactly.
at::Tensor pattern(at::IntArrayRef shape, int64_t period) {
  const at::Tensor values = at::empty(shape, at::kFloat);
  auto* value = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) value[i] = static_cast<float>(i % period - period / 2);
  return values;
}

void compare(const at::Tensor& computed, const at::Tensor& expected, const char* what) {
  const double off = (computed.detach().to(at::kCPU) - expected).abs().max().item<double>();
  // NaN is outside any limit.
  if (!(off < 0.01)) wrong(std::string(what) + " is wrong by " + json_number(off));
}

/// Forward and backward on the device, compared with loops that do not use libtorch's kernels.
void check_convolution(at::Device device) {
  const at::Tensor x = pattern({kBatch, kIn, kEdge, kEdge}, 7);
  const at::Tensor w = pattern({kOut, kIn, kKernel, kKernel}, 5);
  const at::Tensor y = at::zeros({kBatch, kOut, kEdge, kEdge});
  const at::Tensor dw = at::zeros_like(w);
  const auto in = x.accessor<float, 4>();
  const auto weight = w.accessor<float, 4>();
  auto out = y.accessor<float, 4>();
  auto gradient = dw.accessor<float, 4>();
  const auto each_product = [&](int64_t n, int64_t o, int64_t c, int64_t i, int64_t j) {
    for (int64_t row = 0; row < kEdge; ++row) {
      for (int64_t column = 0; column < kEdge; ++column) {
        const int64_t r = row + i - 1;
        const int64_t s = column + j - 1;
        if (r < 0 || s < 0 || r >= kEdge || s >= kEdge) continue;
        out[n][o][row][column] += in[n][c][r][s] * weight[o][c][i][j];
        gradient[o][c][i][j] += in[n][c][r][s];  // of the sum of all outputs
      }
    }
  };
  for (int64_t n = 0; n < kBatch; ++n)
    for (int64_t o = 0; o < kOut; ++o)
      for (int64_t c = 0; c < kIn; ++c)
        for (int64_t i = 0; i < kKernel; ++i)
          for (int64_t j = 0; j < kKernel; ++j) each_product(n, o, c, i, j);
  const at::Tensor weights = w.to(device).set_requires_grad(true);
  const at::Tensor result = at::conv2d(x.to(device), weights, {}, 1, 1);
  compare(result, y, "the convolution");
  result.sum().backward();
  compare(weights.grad(), dw, "the convolution's gradient");
}

/// Allocates the memory of a batch of default size, writes it and reads it back.
void check_memory(at::Device device) {
  const at::Tensor values = at::full({16 << 20}, 1.0F, at::TensorOptions(device).dtype(at::kFloat));
  const auto sum = values.sum().item<double>();
  if (std::abs(sum - values.numel()) > 0.5) wrong("64 MiB of memory do not hold what was written: their sum is wrong by " + json_number(sum - values.numel()));
}

void check_allreduce(at::Device device, bool nccl) {
  CommSettings settings;
  settings.master = {"127.0.0.1", free_local_port()};
  settings.nccl = nccl;
  settings.peer_timeout = 20;
  settings.rendezvous_timeout = 20;
  settings.on_peer_lost = [](const Failure& failure) {
    std::fprintf(stderr, "ringlab-train: error: %s\n", failure.what());
    std::_Exit(failure.exit_code());
  };
  Communicator communicator(std::move(settings));
  const at::Tensor values = pattern({1 << 16}, 1001).to(device);
  communicator.allreduce_sum(values);
  compare(values, pattern({1 << 16}, 1001), "the all-reduce");
  communicator.finish();
}

struct Outcome {
  std::string failed;  ///< the check, "" where all passed
  std::string error;
};

/// In this order: if memory fails, later checks would add nothing.
Outcome check(at::Device device, bool nccl) {
  const std::vector<std::pair<const char*, std::function<void()>>> checks = {
      {"memory", [&] { check_memory(device); }},
      {"convolution", [&] { check_convolution(device); }},
      {"allreduce", [&] { check_allreduce(device, nccl); }},
  };
  if (device.is_cuda() && !compat::libtorch_has_cuda()) return {"memory", "this libtorch was built without CUDA"};
  for (const auto& [name, run] : checks) {
    try {
      if (device.is_cuda()) {
        Launch launch;
        launch.gpu = device.index();
        enter_device(launch);
      }
      run();
    } catch (const std::exception& error) {
      return {name, plain_words(error.what())};
    }
  }
  return {};
}

int parse_gpus(const std::vector<std::string>& arguments) {
  int gpus = -1;
  parse_arguments("verify", arguments, {number_row("--gpus", gpus, 0, 64)});
  return gpus >= 0 ? gpus : capabilities().gpus;
}

}  // namespace

int verify_command(const std::vector<std::string>& arguments) {
  const int gpus = parse_gpus(arguments);
  const bool nccl = gpus > 0 && communicator_has_nccl();
  const double started = steady_seconds();
  bool ok = true;
  std::vector<std::string> devices;
  for (int index = 0; index < std::max(1, gpus); ++index) {
    const at::Device device = gpus == 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    const double began = steady_seconds();
    const Outcome outcome = check(device, nccl);
    JsonObject line;
    line.add("device", device.str()).add("ok", outcome.failed.empty()).add("seconds", steady_seconds() - began);
    if (outcome.failed.empty()) {
      const std::string name = device_name(device);
      if (!name.empty()) line.add("name", name);
    } else {
      ok = false;
      line.add("failed", outcome.failed).add("error", outcome.error);
    }
    devices.push_back(line.str());
  }
  JsonObject result;
  result.add("v", 1).add("kind", "verify").add("ok", ok).add("libtorch", TORCH_VERSION).add("backend", nccl ? "nccl" : "gloo");
  result.add("seconds", steady_seconds() - started).add_raw("devices", json_array(devices));
  std::printf("%s\n", result.str().c_str());
  return ok ? 0 : 1;
}

}  // namespace ringlab
