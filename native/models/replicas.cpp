#include "models/replicas.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "models/worker.h"

namespace ringlab {
namespace {

at::Tensor generator_state() { return at::detail::getDefaultCPUGenerator().get_state(); }

}  // namespace

struct Replicas::Replica {
  std::shared_ptr<Classifier> model;
  c10::Device device = at::kCPU;
  std::vector<torch::Tensor> parameters;
  torch::Tensor images;
  Outputs outputs;
  std::vector<torch::Tensor> gradients;  ///< of the outputs: logits, then the auxiliary heads
  Worker worker;

  std::vector<torch::Tensor> all_outputs() const {
    std::vector<torch::Tensor> all{outputs.logits};
    all.insert(all.end(), outputs.auxiliary.begin(), outputs.auxiliary.end());
    return all;
  }
};

Replicas::Replicas(std::shared_ptr<Classifier> model, const Make& make, const std::vector<c10::Device>& devices) : model_(std::move(model)) {
  const at::Tensor drawn = generator_state();
  const int threads = std::max(1, at::get_num_threads() / static_cast<int>(devices.size()));
  for (size_t i = 0; i < devices.size(); ++i) {
    auto replica = std::make_unique<Replica>();
    replica->model = i == 0 ? model_ : make();
    replica->device = devices[i];
    replica->model->to(devices[i]);
    replica->parameters = replica->model->parameters();
    const auto originals = model_->parameters();
    for (size_t p = 0; p < originals.size(); ++p) {
      replica->parameters[p].set_requires_grad(originals[p].requires_grad());
      if (i > 0 && devices[i] == devices[0]) replica->parameters[p].set_data(originals[p].detach());
    }
    if (devices[i].is_cpu()) replica->worker.start([threads] { at::set_num_threads(threads); }).get();
    replicas_.push_back(std::move(replica));
  }
  // The thread count is thread-local, and new threads inherit the last one that was set: other threads must not inherit
  // ours.
  at::set_num_threads(at::get_num_threads());
  at::Generator(at::detail::getDefaultCPUGenerator()).set_state(drawn);
}

Replicas::~Replicas() = default;

size_t Replicas::used() const { return used_; }

/// Prepares replicas on other devices for a forward pass.
void Replicas::share_parameters() {
  const torch::NoGradGuard no_grad;
  const auto originals = model_->parameters();
  for (size_t i = 1; i < used_; ++i) {
    Replica& replica = *replicas_[i];
    replica.model->train(model_->is_training());
    if (replica.device != replicas_[0]->device) {
      for (size_t p = 0; p < originals.size(); ++p) replica.parameters[p].copy_(originals[p], /*non_blocking=*/true);
    }
    const auto buffers = replica.model->buffers();
    const auto kept = model_->buffers();
    for (size_t b = 0; b < kept.size(); ++b) torch::Tensor(buffers[b]).copy_(kept[b], /*non_blocking=*/true);
  }
}

void Replicas::on_each(size_t count, bool together, const std::function<void(Replica&)>& compute) {
  std::vector<std::future<void>> running;
  std::exception_ptr failure;
  const auto wait = [&failure](std::future<void>& job) {
    try {
      job.get();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (size_t i = 0; i < count; ++i) {
    Replica& replica = *replicas_[i];
    running.push_back(replica.worker.start([&replica, &compute] {
      const c10::OptionalDeviceGuard device(replica.device.is_cuda() ? c10::optional<c10::Device>(replica.device) : c10::nullopt);
      compute(replica);
    }));
    if (!together) wait(running.back());
  }
  // All of them end before this returns, even if one throws, as they use the caller's data.
  if (together) {
    for (auto& job : running) wait(job);
  }
  if (failure) std::rethrow_exception(failure);
}

Outputs Replicas::forward(const torch::Tensor& images, const Around& around) {
  const auto chunks = images.chunk(static_cast<int64_t>(replicas_.size()));
  used_ = chunks.size();
  share_parameters();
  for (size_t i = 0; i < used_; ++i) replicas_[i]->images = chunks[i];
  const bool gradients = torch::GradMode::is_enabled();
  const auto compute = [&](Replica& replica) {
    const torch::AutoGradMode mode(gradients);
    const auto forward = [&replica] { replica.outputs = replica.model->outputs(replica.images.to(replica.device, /*non_blocking=*/true)); };
    if (around) around(forward);
    else forward();
    replica.images = torch::Tensor();
  };
  const bool one_generator = replicas_[0]->device.is_cpu() && model_->is_training();
  const at::Tensor before = one_generator && draws_ == Draws::unknown ? generator_state() : at::Tensor();
  on_each(used_, !one_generator || draws_ == Draws::no, compute);
  if (before.defined()) draws_ = at::equal(before, generator_state()) ? Draws::no : Draws::yes;

  std::vector<std::vector<torch::Tensor>> answers;
  for (size_t i = 0; i < used_; ++i) answers.push_back(replicas_[i]->all_outputs());
  gathered_ = {};
  for (size_t output = 0; output < answers.front().size(); ++output) {
    std::vector<torch::Tensor> parts;
    for (const auto& of_replica : answers) parts.push_back(of_replica[output].detach().to(replicas_[0]->device));
    auto whole = at::cat(parts).set_requires_grad(gradients);
    if (output == 0) gathered_.logits = whole;
    else gathered_.auxiliary.push_back(whole);
  }
  return gathered_;
}

void Replicas::backward() {
  std::vector<torch::Tensor> reached{gathered_.logits};
  reached.insert(reached.end(), gathered_.auxiliary.begin(), gathered_.auxiliary.end());
  int64_t first = 0;
  for (size_t i = 0; i < used_; ++i) {
    Replica& replica = *replicas_[i];
    const int64_t rows = replica.outputs.logits.size(0);
    replica.gradients.clear();
    for (const auto& output : reached) {
      const auto& gradient = output.grad();
      replica.gradients.push_back(gradient.defined() ? gradient.narrow(0, first, rows).to(replica.device, /*non_blocking=*/true) : torch::Tensor());
    }
    first += rows;
  }
  gathered_ = {};
  on_each(used_, true, [](Replica& replica) {
    // If only a part of the model is trained, an output may not depend on it.
    std::vector<torch::Tensor> outputs, gradients;
    const auto all = replica.all_outputs();
    for (size_t output = 0; output < all.size(); ++output) {
      if (!all[output].requires_grad() || !replica.gradients[output].defined()) continue;
      outputs.push_back(all[output]);
      gradients.push_back(replica.gradients[output]);
    }
    torch::autograd::backward(outputs, gradients);
    replica.outputs = {};
    replica.gradients.clear();
  });
  const torch::NoGradGuard no_grad;
  const auto& originals = replicas_[0]->parameters;
  for (size_t i = 1; i < used_; ++i) {
    for (size_t p = 0; p < originals.size(); ++p) {
      auto& gradient = replicas_[i]->parameters[p].mutable_grad();
      if (!gradient.defined()) continue;
      auto& sum = originals[p].mutable_grad();
      if (sum.defined()) sum.add_(gradient.to(sum.device()));
      else sum = gradient.to(originals[p].device());
      gradient.reset();
    }
  }
}

}  // namespace ringlab
