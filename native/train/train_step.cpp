// One optimiser step: the gradients of its batches, averaged over them and over the ranks.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/stop_signal.h"
#include "compat/autocast.h"
#include "data/loading/loader.h"
#include "models/loss.h"
#include "train/trainer.h"

namespace ringlab {
namespace {

/// What a step keeps of one of its batches until all is computed: reading a number from a GPU would stop it.
struct Answered {
  torch::Tensor loss;
  torch::Tensor logits;
  torch::Tensor labels;
  int64_t images = 0;
};

/// Over all images; of a single batch it is the batch's own to the bit.
double mean_loss(const std::vector<Answered>& batches) {
  double mean = 0;
  int64_t images = 0;
  for (const auto& batch : batches) {
    images += batch.images;
    mean += (batch.loss.item<double>() - mean) * (static_cast<double>(batch.images) / static_cast<double>(images));
  }
  return mean;
}

}  // namespace

std::pair<Outputs, Losses> Trainer::losses_for(const torch::Tensor& images, const torch::Tensor& labels) {
  const compat::Autocast precision(device_.type(), training_type());
  const Outputs answers = forward(images, training_type());
  return {answers, losses_of(*model_, answers, labels, options_.label_smoothing)};
}

/// With --cuda-graph: one batch of one model, its gradients read by nobody before the pass has ended.
void Trainer::prepare_recording() {
  if (!options_.cuda_graph) return;
  graph_ = std::make_unique<compat::StepGraph>();
  const auto pass = [this](const torch::Tensor& images, const torch::Tensor& labels) {
    const auto [outputs, losses] = losses_for(images, labels);
    losses.objective.backward();
    return PassAnswer{losses.own.detach(), outputs.logits.detach()};
  };
  recorded_ = std::make_unique<RecordedPass>(optimizer_->parameters(), pass, [this](const std::function<void()>& body) { graph_->run(body); });
}

/// Takes the step's batches from `loader`. Returns the seconds that it waited for them.
double Trainer::train_step(Loader& loader, int64_t epoch, int64_t number, double step_started) {
  const Traffic before = communicator_ != nullptr ? communicator_->traffic() : Traffic{};
  const int64_t first = number * options_.accumulate;
  const int64_t batches = std::min<int64_t>(options_.accumulate, loader.batches() - first);
  std::vector<Answered> answered;
  double data_seconds = 0;
  double compute_started = 0;
  double loss_value = 0;
  torch::Tensor flags;
  std::function<void()> wait_for_flags = [] {};
  // Who was asked to stop, and whose loss is lost.
  const auto share_flags = [&] {
    loss_value = mean_loss(answered);
    flags = torch::tensor({stop_requested() ? 1.0F : 0.0F, std::isfinite(loss_value) ? 0.0F : 1.0F});
    if (communicator_ != nullptr) wait_for_flags = communicator_->start_allreduce_max(flags);
  };
  for (int64_t i = 0; i < batches; ++i) {
    const double waiting = steady_seconds();
    const auto batch = loader.next();
    const double loaded = steady_seconds();
    data_seconds += loaded - (i == 0 ? step_started : waiting);
    if (i == 0) compute_started = loaded;
    else compute_started += loaded - waiting;
    const bool last = i + 1 == batches;
    const auto images = input_of(*batch);
    // A copy: the batch's memory goes before the labels do.
    const auto labels = labels_of(*batch).to(device_, torch::kLong, /*non_blocking=*/false, /*copy=*/true);
    // Where it is not told of a step, the Reducer lets gradients add up and communicates nothing (Python's no_sync()).
    if (reducer_ && last) reducer_->before_forward(state_.position.step);
    if (recorded_) {
      const PassAnswer answer = recorded_->run(images, labels);
      answered.push_back({answer.loss, answer.logits, labels, batch->count});
      continue;
    }
    const auto [outputs, losses] = losses_for(images, labels);
    answered.push_back({losses.own.detach(), outputs.logits.detach(), labels, batch->count});
    // On the CPU the flags are on their way while backward computes; a GPU must have backward queued before we wait for it.
    if (last && !device_.is_cuda()) share_flags();
    if (i == 0) optimizer_->zero_grad();
    if (reducer_ && last) reducer_->before_backward();
    torch::Tensor objective = batches == 1 ? losses.objective : losses.objective / static_cast<double>(batches);
    if (scaler_) objective = scaler_->scale(objective);
    objective.backward();
    if (replicas_) replicas_->backward();
  }
  if (device_.is_cuda()) share_flags();
  const double backward_done = steady_seconds();
  const ReductionTimes times = reducer_ ? reducer_->take_times() : ReductionTimes{backward_done, 0, std::nullopt};
  const double gradients_ready = times.last_bucket_at - times.waited;
  wait_for_flags();
  const double reduced = steady_seconds();
  if (flags[1].item<float>() > 0) {
    throw_diverged("the loss");
  }
  set_rates(epoch, number);
  const double lr = state_.lr;
  keep_saved_tensors();
  // Gradients were averaged: what is not finite here is so on every rank, and all leave the step out.
  const bool finite = !scaler_ || scaler_->unscale(optimizer_->parameters());
  if (finite) optimizer_->step(lr);
  const double loss_scale = scaler_ ? scaler_->factor() : 1;
  if (scaler_) scaler_->update();
  const double averaging = steady_seconds();
  // While the rate still grows, local steps are as many as at its height: ranks drift apart fastest in the beginning (QSR's own rule).
  if (outer_) outer_->after_step(state_.position.step, epoch < options_.warmup_epochs ? options_.learning_rate() : lr);
  const double averaged = steady_seconds() - averaging;
  const std::optional<double> hidden = outer_ ? outer_->take_hidden() : times.hidden;
  // Here, so that a save after the first step already has the second's.
  if (reducer_ && reducer_->after_step()) bucket_order_.set(reducer_->buckets());
  stopping_ = flags[0].item<float>() > 0;

  int64_t hits1 = 0;
  int64_t hits5 = 0;
  int64_t images = 0;
  for (const auto& batch : answered) {
    const auto [best, among_five] = count_top1_top5(batch.logits, batch.labels);
    hits1 += best;
    hits5 += among_five;
    images += batch.images;
  }
  const auto count = static_cast<double>(images);
  const double accuracy1 = 100.0 * static_cast<double>(hits1) / count;
  const double accuracy5 = 100.0 * static_cast<double>(hits5) / count;
  losses_.update(loss_value, count);
  top1_.update(accuracy1, count);
  top5_.update(accuracy5, count);
  sums_ = {losses_.count(), losses_.sum(), top1_.sum(), top5_.sum()};
  const double ended = steady_seconds();
  const double seconds = ended - step_started;
  const Traffic after = communicator_ != nullptr ? communicator_->traffic() : Traffic{};
  JsonObject line;
  line.add("epoch", epoch).add("step", state_.position.step).add("batch", number).add("batches", steps_per_epoch_);
  line.add("loss", loss_value).add("top1", accuracy1).add("top5", accuracy5).add("images", images);
  line.add("images_per_second", count / seconds).add("step_seconds", seconds).add("data_seconds", data_seconds);
  line.add("compute_seconds", gradients_ready - compute_started).add("communication_seconds", reduced - gradients_ready + averaged);
  if (hidden) line.add("communication_hidden_seconds", *hidden);
  line.add("bytes_sent", after.sent - before.sent).add("bytes_received", after.received - before.received);
  line.add("lr", lr);
  if (backbone_schedule_) line.add("backbone_lr", backbone_schedule_->lr(epoch, number, steps_per_epoch_));
  line.add("memory_bytes", memory_in_use(device_));
  if (scaler_) line.add("loss_scale", loss_scale).add("skipped", !finite);
  metrics_.write("step", line);
  ++state_.position.step;
  state_.position.batch = number + 1;
  progress_.step = state_.position.step;
  return data_seconds;
}

}  // namespace ringlab
