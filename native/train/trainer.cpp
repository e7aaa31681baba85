#include "train/trainer.h"

#include <cmath>
#include <cstdio>

#include "base/clock.h"
#include "data/loading/loader.h"
#include "sync/agreement.h"

namespace ringlab {
namespace {

ScheduleSettings schedule_settings(const Options& options, double initial) {
  return {options.scheduler, initial, options.gamma, options.step_size, options.epochs, options.warmup_epochs};
}

}  // namespace

Trainer::Trainer(const Options& options, const Launch& launch, const TrainingData& data, Communicator* communicator, MetricsFile& metrics, Progress& progress)
    : options_(options), launch_(launch), data_(data), communicator_(communicator), metrics_(metrics), progress_(progress), device_(enter_device(launch)),
      schedule_(schedule_settings(options, options.learning_rate())) {
  if (options.backbone_lr) backbone_schedule_.emplace(schedule_settings(options, *options.backbone_lr));
}

Trainer::~Trainer() {
  // Where the run ends badly nobody may be left to finish a set with.
  abandoning_ = true;
  if (checkpoint_set_) checkpoint_set_->abandon();
}

void Trainer::warn_broken(const std::string& path, const std::string& reason) {
  metrics_.warn("broken_image", path + ": " + reason, "skipped", path);
}

/// Statistics of batch norm: each rank's own between two epochs' ends, where ranks make local steps.
std::vector<torch::Tensor> Trainer::statistics() const {
  std::vector<torch::Tensor> found;
  for (const auto& item : model_->named_buffers()) {
    const std::string& name = item.key();
    const bool statistic = name.rfind(".running_") != std::string::npos || name.rfind("running_", 0) == 0;
    if (statistic) found.push_back(item.value().detach());
  }
  return found;
}

void Trainer::sync_buffers() {
  // In training, batch norm uses the batch's own statistics, so rank 0's running ones reach the others in time when they
  // are given out before each evaluation: what is measured and saved is the same as with a broadcast each step.
  if (communicator_ == nullptr) return;
  std::vector<torch::Tensor> buffers;
  for (const auto& buffer : model_->buffers()) buffers.push_back(buffer.detach());
  if (outer_) {
    // Each rank's are of its own local steps: to the averaged weights belongs their mean.
    auto own = statistics();
    at::Tensor flat = flatten(own).div_(static_cast<double>(launch_.world_size));
    communicator_->allreduce_sum(flat);
    unflatten(flat, own);
  }
  communicator_->broadcast(buffers);
}

bool Trainer::train_epoch(int64_t epoch) {
  LoaderSettings settings;
  settings.shape = data_.shape;
  settings.batch_size = options_.batch_size;
  settings.workers = options_.workers;
  settings.training = true;
  settings.draft = options_.draft;
  settings.seed = static_cast<uint64_t>(seed_);
  settings.epoch = epoch;
  settings.first_batch = state_.position.batch * options_.accumulate;
  Loader loader(data_.train(), training_indices(share_, static_cast<uint64_t>(seed_), epoch), settings,
                [this](const Broken& broken) { warn_broken(broken.path, broken.reason); });
  batch_time_.restore(0, 0);
  data_time_.restore(0, 0);
  losses_.restore(sums_.loss, sums_.images);
  top1_.restore(sums_.top1, sums_.images);
  top5_.restore(sums_.top5, sums_.images);
  const ProgressMeter progress(steps_per_epoch_, {&batch_time_, &data_time_, &losses_, &top1_, &top5_}, "Epoch: [" + std::to_string(epoch) + "]");
  model_->train();
  double end = steady_seconds();
  for (int64_t number = state_.position.batch; number < steps_per_epoch_; ++number) {
    const double data_seconds = train_step(loader, epoch, number, end);
    const double now = steady_seconds();
    data_time_.update(data_seconds);
    batch_time_.update(now - end);
    end = now;
    if (number % options_.print_freq == 0) progress.display(number + 1);
    if (stopping_) return false;
  }
  return true;
}

void Trainer::report_evaluation(const EvalResult& result, int64_t epoch) {
  progress_.top1 = result.top1;
  progress_.top5 = result.top5;
  if (launch_.rank != 0) return;
  JsonObject line;
  line.add("epoch", epoch).add("step", state_.position.step).add("loss", result.loss).add("top1", result.top1).add("top5", result.top5);
  line.add("images", result.images).add("seconds", result.seconds);
  metrics_.write("eval", line);
}

Trainer::Outcome Trainer::run() {
  prepare();
  if (options_.evaluate) {
    const EvalResult result = evaluate();
    if (result.stopped) return Outcome::stopped;
    report_evaluation(result, state_.position.epoch);
    return Outcome::finished;
  }
  for (int64_t epoch = state_.position.epoch; epoch < options_.epochs; ++epoch) {
    const double started = steady_seconds();
    const Traffic traffic = communicator_ != nullptr ? communicator_->traffic() : Traffic{};
    if (!train_epoch(epoch)) {
      if (!outer_) sync_buffers();
      refuse_diverged_weights();
      save(false);
      finish_saving();
      return Outcome::stopped;
    }
    // What is judged and saved is what all ranks have in common.
    if (outer_) outer_->synchronise();
    const double trained = steady_seconds() - started;
    sync_buffers();
    const EvalResult result = evaluate();
    if (result.stopped) {
      save(false);
      finish_saving();
      return Outcome::stopped;
    }
    if (!std::isfinite(result.loss)) throw_diverged("the validation's loss");
    report_evaluation(result, epoch);
    const bool best = result.top1 > state_.best_top1;
    if (best) state_.best_top1 = result.top1;
    progress_.best_top1 = state_.best_top1;
    JsonObject line;
    line.add("epoch", epoch).add("step", state_.position.step).add("loss", losses_.average()).add("top1", top1_.average()).add("top5", top5_.average());
    line.add("seconds", steady_seconds() - started).add("images_per_second", trained > 0 ? losses_.count() / trained : 0.0);
    if (launch_.rank == 0) {
      line.add("val_loss", result.loss).add("val_top1", result.top1).add("val_top5", result.top5).add("best_top1", state_.best_top1);
    }
    if (communicator_ != nullptr) line.add("bytes_sent", communicator_->traffic().sent - traffic.sent);
    if (communicator_ != nullptr && options_.check_sync) check_sync(*communicator_, state_.model, epoch);
    state_.position.epoch = epoch + 1;
    state_.position.batch = 0;
    sums_ = {};
    // The learning rate of the next epoch is what Python's scheduler has after its step().
    set_rates(epoch + 1, 0);
    save(best, options_.keep_every > 0 && (epoch + 1) % options_.keep_every == 0 ? std::optional(epoch + 1) : std::nullopt);
    progress_.epochs_completed = epoch + 1;
    metrics_.write("epoch", line);
  }
  finish_saving();
  return Outcome::finished;
}

}  // namespace ringlab
