#include "train/training_step.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "train/device/device.h"
#include "train/evaluate.h"
#include "train/leaving.h"

namespace ringlab {

/// Results of forward and backward.
struct TrainingStep::Batches {
  struct Answered {
    compat::HostCopy judged;  ///< its three numbers: see judge()
    int64_t images = 0;
  };

  /// Over all images; for a single batch bit-identical to the batch's own.
  double mean_loss() const {
    double mean = 0;
    int64_t images = 0;
    for (const auto& batch : answered) {
      images += batch.images;
      mean += (batch.judged.get()[0].item<double>() - mean) * (static_cast<double>(batch.images) / static_cast<double>(images));
    }
    return mean;
  }

  /// Of the whole step: its images, and how many were recognised.
  StepResult result() const {
    StepResult result;
    for (const auto& batch : answered) {
      const auto numbers = batch.judged.get();
      result.top1 += numbers[1].item<double>();
      result.top5 += numbers[2].item<double>();
      result.images += batch.images;
    }
    const auto percent = [&](double hits) { return 100.0 * hits / static_cast<double>(result.images); };
    result.top1 = percent(result.top1);
    result.top5 = percent(result.top5);
    return result;
  }

  std::vector<Answered> answered;
  double data_seconds = 0;
  double started = 0;  ///< steady clock, seconds, without the time spent waiting for batches
};

/// Was a rank asked to stop, is a loss not finite, is a save due: the maximum over all ranks. They pass an exchange of parameters that is under way, but not its
/// packets on a slow link: in steps that need not wait for it there are none, and what is asked for waits until the next.
struct TrainingStep::Flags {
  bool exchanged = true;
  bool failed = false;  ///< this rank's loss was not finite in a step without
  bool saves = false;  ///< --checkpoint-every: the third value is exchanged
  bool due = false;    ///< this rank's
  bool leaves = false;  ///< this rank leaves after the save that it asks for
  torch::Tensor values;
  double loss = 0;  ///< this rank's
  std::function<void()> wait = [] {};

  void share(const Batches& batches, const RunContext& run) {
    loss = batches.mean_loss();
    failed = failed || !std::isfinite(loss);
    values = torch::zeros({3});
    if (!exchanged) return;
    std::vector<float> own = {stops_all(run) ? 1.0F : 0.0F, failed ? 1.0F : 0.0F};
    leaves = leaves_alone(run);
    if (saves) own.push_back(due || leaves ? 1.0F : 0.0F);
    values = torch::tensor(own);
    if (run.communicator != nullptr) wait = run.communicator->start_allreduce_max(values);
  }
  bool stopping() const { return values[0].item<float>() > 0; }
  bool diverged() const { return values[1].item<float>() > 0; }
  bool saving() const { return saves && values[2].item<float>() > 0; }
};

TrainingStep::TrainingStep(const RunContext& run, RunState& state, RankModel& model, Optimizer& optimizer, GradientScaler* scaler, const LearningRates& rates,
                           Synchronisation& sync, Saver& saver)
    : run_(run), state_(state), model_(model), optimizer_(optimizer), scaler_(scaler), rates_(rates), sync_(sync), saver_(saver) {
  if (!run.options.cuda_graph) return;
  // One batch of one model, whose gradients are not read before the pass has ended.
  graph_ = std::make_unique<compat::StepGraph>();
  const auto pass = [this](const torch::Tensor& images, const torch::Tensor& labels) {
    const auto [outputs, losses] = model_.losses_for(images, labels);
    losses.objective.backward();
    return PassAnswer{losses.own.detach(), outputs.logits.detach()};
  };
  recorded_ = std::make_unique<RecordedPass>(optimizer.parameters(), pass, [this](const std::function<void()>& body) { graph_->run(body); });
}

/// Forward and backward of all batches.
TrainingStep::Batches TrainingStep::compute(InputQueue& inputs, int64_t number, double started, Flags& flags) {
  const int64_t step = number - state_.training.position.deal.batches;
  const int64_t count = inputs.cut().first_batch(step + 1) - inputs.cut().first_batch(step);
  // What is read here before backward has ended lets one process on a GPU queue its update while backward computes. Several ranks wait for backward
  // first, to tell computing from communicating.
  const bool after_backward = run_.device.is_cuda() && run_.communicator != nullptr;
  Batches batches;
  for (int64_t i = 0; i < count; ++i) {
    const double waiting = steady_seconds();
    const auto input = inputs.next();
    const double loaded = steady_seconds();
    batches.data_seconds += loaded - (i == 0 ? started : waiting);
    if (i == 0) batches.started = loaded;
    else batches.started += loaded - waiting;
    const bool last = i + 1 == count;
    // Without this call the Reducer accumulates gradients without communication (Python's no_sync()).
    if (last) sync_.before_forward();
    const auto add = [&](const torch::Tensor& loss, const torch::Tensor& logits) {
      batches.answered.push_back({compat::HostCopy(judge(loss, logits, input->labels)), input->count});
    };
    if (recorded_) {
      const PassAnswer answer = recorded_->run(input->images, input->labels);
      add(answer.loss, answer.logits);
      inputs.prefetch();
      continue;
    }
    const auto [outputs, losses] = model_.losses_for(input->images, input->labels);
    if (!after_backward) add(losses.own, outputs.logits);
    // On the CPU the flags are exchanged while backward computes; on a GPU backward must be queued before we wait for it.
    if (last && !run_.device.is_cuda()) flags.share(batches, run_);
    if (i == 0) optimizer_.zero_grad();
    if (last) sync_.before_backward();
    torch::Tensor objective = count == 1 ? losses.objective : losses.objective / static_cast<double>(count);
    if (scaler_ != nullptr) objective = scaler_->scale(objective);
    objective.backward();
    model_.finish_backward();
    if (after_backward) add(losses.own, outputs.logits);
    inputs.prefetch();
  }
  if (run_.device.is_cuda()) flags.share(batches, run_);
  return batches;
}

/// False if the step was skipped.
bool TrainingStep::update(int64_t epoch, int64_t number) {
  rates_.apply(state_.training, epoch, number, state_.steps_per_epoch);
  saver_.wait_until_copied();
  // Gradients were averaged: a non-finite one is non-finite on every rank, and all skip the step.
  const bool finite = scaler_ == nullptr || scaler_->unscale(optimizer_.parameters());
  if (finite) optimizer_.step(state_.training.lr);
  return finite;
}

StepResult TrainingStep::take(InputQueue& inputs, int64_t epoch, int64_t number, double started) {
  const auto traffic = [this] { return run_.communicator != nullptr ? run_.communicator->traffic() : Traffic{}; };
  const Traffic before = traffic();
  Flags flags;
  // An epoch's last step has them: what follows must not wait for the next epoch.
  flags.exchanged = !sync_.exchanges_through() || number + 1 == state_.steps_per_epoch;
  flags.failed = diverged_;
  flags.saves = run_.options.checkpoint_every > 0;
  flags.due = saver_.is_due();
  const Batches batches = compute(inputs, number, started, flags);
  const double backward_done = steady_seconds();
  const ReductionTimes times = sync_.take_times(backward_done);
  const double gradients_ready = times.last_bucket_at - times.waited;
  sync_.wait_for(flags.wait);
  const double reduced = steady_seconds();
  if (flags.diverged()) throw saver_.diverged("the loss");
  diverged_ = flags.failed;
  const bool finite = update(epoch, number);
  const double lr = state_.training.lr;
  const double loss_scale = scaler_ != nullptr ? scaler_->factor() : 1;
  if (scaler_ != nullptr) scaler_->update();
  const double averaging = steady_seconds();
  // While the rate still grows, local steps are as many as at its maximum: ranks diverge fastest at the beginning (QSR's own rule).
  std::exception_ptr lost;
  try {
    sync_.after_step(epoch < run_.options.warmup_epochs ? run_.options.learning_rate() : lr, flags.loss);
    // Here, so that a save after the first step already contains the second's.
    sync_.update_buckets();
  } catch (...) {
    // The step is done: where ranks were lost and the others go on, or save, it counts.
    if (run_.options.on_lost_rank == OnLostRank::end) throw;
    lost = std::current_exception();
  }
  const double averaged = steady_seconds() - averaging;
  const std::optional<double> hidden = sync_.averages_parameters() && !lost ? sync_.take_hidden() : times.hidden;

  StepResult result = batches.result();
  result.loss = flags.loss;
  result.data_seconds = batches.data_seconds;
  result.stopping = flags.stopping();
  result.saving = flags.saving();
  result.leaving = flags.leaves;
  const double seconds = steady_seconds() - started;
  const Traffic after = traffic();
  Position& position = state_.training.position;
  JsonObject line;
  line.add("epoch", epoch).add("step", position.step).add("batch", number).add("batches", state_.steps_per_epoch);
  line.add("loss", result.loss).add("top1", result.top1).add("top5", result.top5).add("images", result.images);
  line.add("images_per_second", static_cast<double>(result.images) / seconds).add("step_seconds", seconds).add("data_seconds", result.data_seconds);
  // The update of one process on a GPU is queued behind its backward: what this step waited for is all of its time.
  const bool queued = run_.device.is_cuda() && run_.communicator == nullptr;
  line.add("compute_seconds", queued ? seconds - result.data_seconds : gradients_ready - batches.started).add("communication_seconds", reduced - gradients_ready + averaged);
  if (hidden) line.add("communication_hidden_seconds", *hidden);
  line.add("bytes_sent", after.sent - before.sent).add("bytes_received", after.received - before.received);
  line.add("lr", lr);
  if (const auto backbone = rates_.backbone_lr(epoch, number, state_.steps_per_epoch)) line.add("backbone_lr", *backbone);
  line.add("memory_bytes", memory_in_use(run_.device));
  if (scaler_ != nullptr) line.add("loss_scale", loss_scale).add("skipped", !finite);
  run_.metrics.write("step", line);
  ++position.step;
  position.batch = number + 1;
  run_.progress.step = position.step;
  if (lost) std::rethrow_exception(lost);
  return result;
}

}  // namespace ringlab
