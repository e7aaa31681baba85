#include "train/trainer.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "data/loading/loader.h"
#include "sync/agreement.h"
#include "train/device/device.h"
#include "train/keepers.h"
#include "train/resume.h"
#include "train/shares.h"
#include "train/start_line.h"

namespace ringlab {

Trainer::Trainer(const Options& options, const Launch& launch, const TrainingData& data, std::unique_ptr<Communicator>& communicator, MetricsFile& metrics, Progress& progress)
    : communicator_(communicator), launch_(launch), run_{options, launch_, data, communicator.get(), metrics, progress, enter_device(launch), {options.batch_size, options.accumulate}}, rates_(options) {}

/// Rank 0's part of the model's checkpoint.
void Trainer::describe_model() {
  const Options& options = run_.options;
  TrainingState& training = state_.training;
  training.arch = options.arch;
  training.model = state_dict(model_->module());
  for (const auto& buffer : model_->module().named_buffers()) training.buffers.insert(buffer.key());
  training.optimizer = optimizer_.get();
  training.initial_lr = options.learning_rate();
  training.module_prefix = options.module_prefix == When::on || (options.module_prefix == When::automatic && run_.launch.distributed);
  training.input = {options.image_size, options.input_channels, run_.data.train().classes(), model_->form().transform_input};
  training.position.epoch = options.start_epoch;
  training.position.step = steps_in(options.start_epoch, state_.steps_per_epoch);
}

/// From the rendezvous to a rank that is ready for its first step.
void Trainer::prepare() {
  const Options& options = run_.options;
  state_.share = agree_on_share(run_);
  state_.first_per_rank = state_.share.per_rank;
  agree_on_seed(run_, state_);
  state_.folder = choose_folder(run_);
  state_.resume_path = options.resume;
  std::optional<LoadedCheckpoint> newest = agree_on_source(run_, state_);
  StartFiles files;
  if (run_.launch.rank == state_.source) files = read_start_files(run_, state_, std::move(newest));
  const LoadedCheckpoint* resumed = files.checkpoint ? &*files.checkpoint : nullptr;
  model_ = std::make_unique<RankModel>(run_, agree_on_form(run_, state_.source, resumed, files.pretrained ? &*files.pretrained : nullptr), resumed);
  if (needs_two_images(options, model_->form())) run_.replicas_of_two = std::max<int64_t>(1, static_cast<int64_t>(model_->replicas()));
  state_.steps_per_epoch = steps_of_epoch(run_, state_.share, {});
  optimizer_ = make_optimizer(options, model_->module());
  describe_model();
  if (options.amp == Amp::fp16) {
    scaler_ = std::make_unique<GradientScaler>();
    state_.training.parts.emplace_back("scaler", scaler_.get());
  }
  sync_ = std::make_unique<Synchronisation>(run_, state_, *model_);
  state_.run_id = std::random_device()() * (uint64_t{1} << 32) + std::random_device()();
  Adopted adopted;
  if (files.pretrained) adopted = take_pretrained(run_, state_, model_->module(), *files.pretrained);
  if (resumed != nullptr) resume(run_, state_, *resumed);
  files = {};  // frees the memory of a model and of its optimizer's state
  OwnCopies own;
  Keepers keepers = agree_on_keepers(run_, state_);
  if (run_.communicator != nullptr) {
    own = take_own_copies(run_, state_, model_->module());
    share_weights(run_, state_, model_->module(), own.save, keepers);
    share_position(run_, state_, own.rest);
    sync_->prepare();
  }
  const LoadedRankStates loaded = load_rank_states(run_, state_, keepers);
  admit_new_ranks(run_, state_, keepers, *sync_);
  keepers.own.reset();
  if (run_.communicator != nullptr && !loaded.own_optimizers) share_optimizer(run_, state_, own.rest);
  own = {};
  state_.kept_best_top1 = find_kept_best();
  if (options.on_lost_rank != OnLostRank::end) step_start_ = std::make_unique<StepStart>(model_->module().buffers(), run_.device);
  saver_ = std::make_unique<Saver>(run_, state_, rates_, loaded.set_is_whole);
  step_ = std::make_unique<TrainingStep>(run_, state_, *model_, *optimizer_, scaler_.get(), rates_, *sync_, *saver_);
  Position& position = state_.training.position;
  position.global_batch = first_global_batch_ = run_.images_a_step();
  position.world_size = run_.launch.world_size;
  position.seed = state_.seed;
  position.images = state_.share.images;
  rates_.apply(state_.training, position.epoch, position.batch, state_.steps_per_epoch);
  run_.progress.step = position.step;
  run_.progress.epochs_completed = position.epoch;
  if (!state_.resume_path.empty()) run_.progress.best_top1 = state_.training.best_top1;
  write_start_line(run_, state_, *model_, adopted);
}

/// The RunState's kept_best_top1 at the start. A rank that was lost may have the best model of the run in its folder, or an older one of its own.
double Trainer::find_kept_best() const {
  const double of_run = state_.training.best_top1;
  const std::optional<double> own = state_.resume_path.empty() ? std::nullopt : top1_of_best(state_.folder);
  // What it says above the run's best is of other weights: of another run, or of epochs after the checkpoint.
  if (own) return std::min(*own, of_run);
  return run_.is_first() && state_.source == run_.launch.rank ? of_run : -1;
}

/// False if a rank was asked to stop.
bool Trainer::train_epoch(int64_t epoch, Meters& meters) {
  const Options& options = run_.options;
  LoaderSettings settings;
  settings.shape = run_.data.shape;
  settings.workers = options.workers;
  settings.training = true;
  // Of what is left of an epoch one image may be more than 1 %.
  settings.share = state_.share.per_rank;
  settings.draft = options.draft;
  settings.seed = static_cast<uint64_t>(state_.seed);
  settings.epoch = epoch;
  const Position& position = state_.training.position;
  settings.cut = cut_of(run_, state_.share, position.deal);
  settings.first_batch = settings.cut.first_batch(position.batch - position.deal.batches);
  Loader loader(run_.data.train(), rank_images(state_.share, position.deal, static_cast<uint64_t>(state_.seed), epoch), settings,
                [this](const Broken& broken) { run_.warn_broken_image(broken, run_.warned->training); });
  run_.warn_refused(loader);
  InputQueue inputs(loader, run_.device, model_->is_channels_last());
  MeterSums& sums = state_.sums;
  meters.losses.restore(sums.loss, sums.images);
  meters.top1.restore(sums.top1, sums.images);
  meters.top5.restore(sums.top5, sums.images);
  const ProgressMeter progress(state_.steps_per_epoch, {&meters.batch_time, &meters.data_time, &meters.losses, &meters.top1, &meters.top5}, "Epoch: [" + std::to_string(epoch) + "]");
  model_->module().train();
  // Streamed averages put this rank's own weights back, into the tensors that the last save may still be copying.
  saver_->wait_until_copied();
  sync_->begin_steps();
  double end = steady_seconds();
  for (int64_t number = position.batch; number < state_.steps_per_epoch; ++number) {
    if (step_start_) step_start_->keep(position.step);
    const StepResult step = step_->take(inputs, epoch, number, end);
    const auto images = static_cast<double>(step.images);
    meters.losses.update(step.loss, images);
    meters.top1.update(step.top1, images);
    meters.top5.update(step.top5, images);
    sums = {meters.losses.count(), meters.losses.sum(), meters.top1.sum(), meters.top5.sum()};
    const double now = steady_seconds();
    meters.data_time.update(step.data_seconds);
    meters.batch_time.update(now - end);
    longest_step_ = std::max(longest_step_, now - end);
    end = now;
    if (number % options.print_freq == 0) progress.display(number + 1);
    if (step.stopping) return false;
    // The end of the epoch saves, too.
    if (number + 1 == state_.steps_per_epoch) break;
    if (step.saving) save_within_epoch();
    if (step.leaving) leave_alone();
  }
  return true;
}

/// What a stopped run saves, without the statistics of batch norm that all ranks share then: rank 0's are the ones that count, and its
/// checkpoint has them. With local steps each rank's own weights are in its rank state.
void Trainer::save_within_epoch() {
  if (!model_->is_finite()) throw saver_->diverged("a weight");
  saver_->save();
}

void Trainer::report_evaluation(const EvalResult& result, int64_t epoch) {
  run_.progress.top1 = result.top1;
  run_.progress.top5 = result.top5;
  if (!run_.is_first()) return;
  JsonObject line;
  line.add("epoch", epoch).add("step", state_.training.position.step).add("loss", result.loss).add("top1", result.top1).add("top5", result.top5);
  line.add("images", result.images).add("seconds", result.seconds);
  run_.metrics.write("eval", line);
}

/// Running statistics that do not fit the weights yet make a validation overflow whose weights are good: what was trained on small batches, for example. As in
/// PyTorch's examples training goes on.
void Trainer::judge_overflow(int64_t epoch) const {
  const auto statistics = model_->statistics();
  const bool fit = std::all_of(statistics.begin(), statistics.end(), [](const torch::Tensor& one) { return std::isfinite(one.sum().item<double>()); });
  if (!fit || !model_->is_finite()) throw saver_->diverged("the validation's loss");
  run_.metrics.warn("validation_overflow", "the validation's loss is not a number after epoch " + std::to_string(epoch + 1) + "; all weights are finite, and training goes on",
                    "batch norm's running statistics do not fit the weights: larger batches, --sync-bn or a lower --lr");
}

/// The others wait for this rank in their next step: they notice that it has left.
void Trainer::leave_alone() {
  saver_->finish();
  throw LeavesAlone();
}

Trainer::Outcome Trainer::save_and_stop() {
  saver_->save();
  saver_->finish();
  return Outcome::stopped;
}

/// An epoch's `epoch` line, with what only the first rank writes. A rank that went back to an evaluation has written it.
void Trainer::report_epoch(int64_t epoch, JsonObject line, const EvalResult& result) {
  int64_t& reported = run_.is_first() ? reported_as_first_ : reported_;
  if (reported >= epoch) return;
  reported = epoch;
  if (run_.is_first()) {
    line.add("val_loss", result.loss).add("val_top1", result.top1).add("val_top5", result.top5).add("best_top1", state_.training.best_top1);
  }
  run_.metrics.write("epoch", line);
}

/// What is left of an epoch, its evaluation and its save.
void Trainer::train_and_evaluate(int64_t epoch, Meters& meters, bool& stopped) {
  const double started = steady_seconds();
  const double images_before = state_.sums.images;
  const Traffic traffic = run_.communicator != nullptr ? run_.communicator->traffic() : Traffic{};
  TrainingState& training = state_.training;
  Position& position = training.position;
  if (!train_epoch(epoch, meters)) {
    if (!sync_->averages_parameters()) sync_->share_buffers();
    // All ranks have the same parameters, so they take the same decision.
    if (!model_->is_finite()) throw saver_->diverged("a weight");
    stopped = true;
    return;
  }
  // Evaluates and saves the averaged state of all ranks.
  sync_->average_parameters(epoch + 1 == run_.options.epochs);
  const double trained = steady_seconds() - started;
  sync_->share_buffers();
  const EvalResult result = evaluate(run_, *model_);
  if (result.stopped) {
    stopped = true;
    return;
  }
  if (!std::isfinite(result.loss)) judge_overflow(epoch);
  if (!run_.is_first() || reported_as_first_ < epoch) report_evaluation(result, epoch);
  epoch_end_ = {position, state_.sums, state_.steps_per_epoch, training.best_top1};
  if (result.top1 > training.best_top1) training.best_top1 = result.top1;
  run_.progress.best_top1 = training.best_top1;
  JsonObject line;
  line.add("epoch", epoch).add("step", position.step).add("loss", meters.losses.average()).add("top1", meters.top1.average()).add("top5", meters.top5.average());
  line.add("seconds", steady_seconds() - started).add("images_per_second", trained > 0 ? (meters.losses.count() - images_before) / trained : 0.0);
  line.add("images_seen", images_seen());
  if (run_.communicator != nullptr) line.add("bytes_sent", run_.communicator->traffic().sent - traffic.sent);
  if (run_.communicator != nullptr && run_.options.check_sync) check_sync(*run_.communicator, training.model, "epoch " + std::to_string(epoch));
  position.epoch = epoch + 1;
  position.batch = 0;
  position.deal = {};
  even_out(run_, state_, position.deal);
  state_.sums = {};
  state_.steps_per_epoch = steps_of_epoch(run_, state_.share, position.deal);
  // The learning rate of the next epoch is that of Python's scheduler after its step().
  rates_.apply(training, epoch + 1, 0, state_.steps_per_epoch);
  const int keep_every = run_.options.keep_every;
  saver_->save(result.top1, keep_every > 0 && (epoch + 1) % keep_every == 0 ? std::optional(epoch + 1) : std::nullopt);
  run_.progress.epochs_completed = epoch + 1;
  report_epoch(epoch, line, result);
}

/// Images of the epoch that are in the model, over all ranks; with --sharded-data those of a folder that ranks repeat count each time.
int64_t Trainer::images_seen() const {
  const Position& position = state_.training.position;
  const int64_t each = cut_of(run_, state_.share, position.deal).images(position.batch - position.deal.batches);
  if (run_.options.sharded_data) return each * run_.launch.world_size;
  return images_in_model(position.deal, state_.share.images, state_.share.sharers, each);
}

Trainer::Outcome Trainer::run() {
  prepare();
  const Position& position = state_.training.position;
  if (run_.options.evaluate) {
    const EvalResult result = evaluate(run_, *model_);
    if (result.stopped) return Outcome::stopped;
    report_evaluation(result, position.epoch);
    return Outcome::finished;
  }
  std::optional<Meters> meters;
  bool stopped = false;
  while (true) {
    std::exception_ptr failure;
    try {
      if (lost_) end_saved();
      while (!stopped && position.epoch < run_.options.epochs) {
        if (position.batch == 0 || !meters) meters.emplace();
        train_and_evaluate(position.epoch, *meters, stopped);
      }
      if (stopped) return save_and_stop();
      saver_->finish();
      return Outcome::finished;
    } catch (...) {
      failure = std::current_exception();
      if (!can_go_on(failure)) throw;
    }
    stopped = false;
    go_on(failure);
  }
}

}  // namespace ringlab
