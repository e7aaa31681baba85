// A recorded pass compared with the same steps one by one. The recorder is a stand-in for a CUDA graph: it keeps the memory
// that a recording wrote to, and a replay writes recomputed values there.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "train/device/recorded_pass.h"

namespace ringlab {
namespace {

constexpr int kWarmUp = 2;

class StandInGraph {
 public:
  explicit StandInGraph(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}

  void run(const std::function<void()>& body) {
    const int run = runs_++;
    if (run <= kWarmUp) body();
    if (run == kWarmUp) {
      for (const auto& parameter : parameters_) recorded_.push_back(parameter.grad());
      recorded_body_ = body;
    }
    if (run <= kWarmUp) return;
    // A graph does not know the current `grad`: it writes to the recorded address.
    std::vector<at::Tensor> now;
    for (const auto& parameter : parameters_) now.push_back(parameter.grad());
    recorded_body_();
    for (size_t i = 0; i < parameters_.size(); ++i) {
      recorded_[i].copy_(parameters_[i].grad());
      parameters_[i].mutable_grad() = now[i];
    }
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> recorded_;
  std::function<void()> recorded_body_;
  int runs_ = 0;
};

struct Line {
  at::Tensor weight = at::full({3, 2}, 0.1F).set_requires_grad(true);
  at::Tensor bias = at::zeros({2}).set_requires_grad(true);
  std::vector<at::Tensor> parameters() const { return {weight, bias}; }
  PassAnswer pass(const at::Tensor& images, const at::Tensor& labels) const {
    const at::Tensor logits = at::addmm(bias, images, weight);
    const at::Tensor loss = at::cross_entropy_loss(logits, labels);
    loss.backward();
    return {loss.detach(), logits.detach()};
  }
  void step() {
    const at::NoGradGuard off;
    for (auto parameter : parameters()) parameter.sub_(parameter.grad(), 0.5);
  }
};

TEST(RecordedPass, GivesWhatStepsOneByOneGive) {
  Line recorded, plain;
  StandInGraph graph(recorded.parameters());
  RecordedPass pass(recorded.parameters(), [&](const at::Tensor& images, const at::Tensor& labels) { return recorded.pass(images, labels); },
                    [&](const std::function<void()>& body) { graph.run(body); });
  at::manual_seed(1);
  // The third, sixth and ninth batch are short, as an epoch's last one: before, during and after the recording.
  for (int step = 0; step < 12; ++step) {
    const int64_t count = step % 3 == 2 ? 2 : 5;
    const at::Tensor images = at::randn({count, 3});
    const at::Tensor labels = at::randint(2, {count}, at::kLong);
    const PassAnswer answer = pass.run(images, labels);
    recorded.step();
    for (auto parameter : plain.parameters()) parameter.mutable_grad().reset();
    const PassAnswer expected = plain.pass(images, labels);
    plain.step();
    EXPECT_TRUE(at::equal(answer.logits, expected.logits)) << step;
    EXPECT_TRUE(at::equal(answer.loss, expected.loss)) << step;
    EXPECT_TRUE(at::equal(recorded.weight, plain.weight)) << step;
    EXPECT_TRUE(at::equal(recorded.bias, plain.bias)) << step;
  }
}

}  // namespace
}  // namespace ringlab
