#include "train/synchronisation.h"

#include <cmath>
#include <stdexcept>

#include "base/console.h"
#include "base/error.h"
#include "sync/outer_average.h"
#include "sync/shared_buffers.h"
#include "sync/streamed/streamed_average.h"

namespace ringlab {

Synchronisation::Synchronisation(const RunContext& run, RunState& state, RankModel& model) : run_(run), state_(state), model_(model) {
  // Also of the last rank that is left, which has nobody to exchange with: those that join it again add in this order.
  if (run.launch.distributed && run.options.sync.kind != SyncMode::Kind::outer) state.training.parts.emplace_back("buckets", &bucket_order_);
}

/// The next buckets of the resumed run; none where its checkpoint has none for these parameters. Then the run begins as a resumed run of
/// Python's does, which makes no difference with two ranks.
BucketNames Synchronisation::saved_buckets(const std::vector<std::pair<std::string, at::Tensor>>& trained) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : trained) names.push_back(name);
  if (bucket_order_.fits(names)) return bucket_order_.buckets();
  const bool other = !bucket_order_.buckets().empty();
  bucket_order_.set({});
  // Not for Python's checkpoints, which have no position: Python resumes in the same way.
  const Position& from = state_.training.position;  // the checkpoint's, until the run's first step
  const bool same_run = !from.epoch_id.empty() && from.step > 0 && from.world_size == run_.launch.world_size;
  if (same_run && run_.is_first() && run_.launch.world_size > 2 && !run_.options.evaluate) {
    run_.metrics.warn("buckets_unknown", state_.resume_path + (other ? " keeps the buckets of other parameters" : " does not keep the buckets in which gradients were added"),
                      "the first step adds them in another order than the run before would have: from three ranks on the weights differ in their last bits, as after any resume in Python");
  }
  return {};
}

void Synchronisation::prepare() {
  if (run_.communicator == nullptr) return;
  const SyncMode& mode = run_.options.sync;
  std::vector<std::pair<std::string, at::Tensor>> trained;
  std::vector<at::Tensor> tensors;
  for (const auto& item : model_.module().named_parameters()) {
    if (!item.value().requires_grad()) continue;
    trained.emplace_back(item.key(), item.value());
    tensors.push_back(item.value());
  }
  if (trained.empty()) return;
  const bool outer = mode.kind == SyncMode::Kind::outer;
  const bool streamed = mode.compression == Compression::stream;
  if (!streamed && (outer || mode.compression != Compression::none)) compressor_ = make_compressor(mode, *run_.communicator, tensors);
  // The position is the checkpoint's while states are loaded.
  const auto same_ranks = [this] { return state_.training.position.world_size == run_.launch.world_size; };
  std::vector<SyncState::Source> sources;
  if (compressor_) {
    sources.push_back({"compressor", [this] { return compressor_->state(); }, [this, same_ranks](const NamedTensors& state) {
      if (same_ranks()) compressor_->load_state(state);
    }});
  }
  if (outer) {
    if (mode.period > state_.steps_per_epoch) {
      throw Failure(ErrorCode::usage, "--sync " + mode.text + ": " + std::to_string(mode.period) + " local steps are more than an epoch has; valid: 1 to " + std::to_string(state_.steps_per_epoch));
    }
    if (streamed) {
      outer_ = std::make_unique<StreamedAverage>(*run_.communicator, tensors, mode, [this](const StreamPace& from, const StreamChange& change) { report(from, change); });
    } else {
      outer_ = std::make_unique<OuterAverage>(*run_.communicator, *compressor_, tensors, mode, state_.steps_per_epoch);
    }
    // Before the compressor's: it waits for the exchange under way, which changes the compressor's.
    sources.push_back({"statistics", [this] { return own_statistics(); }, [this](const NamedTensors& state) { take_statistics(state); }});
    sources.insert(sources.begin(), {"outer", [this] { return outer_->state(); }, [this, same_ranks](const NamedTensors& state) { outer_->load_state(state, same_ranks()); }});
  } else {
    ReductionSettings settings;
    settings.buckets = saved_buckets(trained);
    if (compressor_) {
      settings.average = [this](const std::vector<size_t>& which, std::vector<at::Tensor>& gradients) { compressor_->average(which, gradients); };
      settings.start = mode.start;
      settings.late = mode.late;
    }
    reducer_ = std::make_unique<GradientReducer>(*run_.communicator, trained, std::move(settings));
    if (mode.late) {
      sources.insert(sources.begin(), {"reducer", [this] { return reducer_->state(); }, [this](const NamedTensors& state) { reducer_->load_state(state); }});
    }
  }
  if (sources.empty()) return;
  sync_state_ = std::make_unique<SyncState>(mode.text, std::move(sources), outer ? state_.training.optimizer : nullptr);
  state_.rank_parts.emplace_back("sync", sync_state_.get());
}

/// In the middle of an epoch; at its end they are in the model, equal on all ranks.
NamedTensors Synchronisation::own_statistics() const {
  NamedTensors out;
  if (state_.training.position.batch == 0) return out;
  for (const auto& tensor : model_.statistics()) out.emplace_back(std::to_string(out.size()), tensor);
  return out;
}

void Synchronisation::take_statistics(const NamedTensors& saved) {
  auto own = model_.statistics();
  for (const auto& [number, tensor] : saved) {
    const size_t at = std::stoul(number);
    if (at >= own.size() || own[at].sizes() != tensor.sizes()) throw std::runtime_error("statistics of batch norm are another model's");
    own[at].copy_(tensor);
  }
}

void Synchronisation::before_forward() {
  if (reducer_) reducer_->before_forward(state_.training.position.step);
}

void Synchronisation::before_backward() {
  if (reducer_) reducer_->before_backward();
}

ReductionTimes Synchronisation::take_times(double backward_done) { return reducer_ ? reducer_->take_times() : ReductionTimes{backward_done, 0, std::nullopt}; }

void Synchronisation::wait_for(const std::function<void()>& wait) {
  if (outer_) outer_->wait_behind(wait);
  else wait();
}

void Synchronisation::after_step(double lr, double loss) {
  if (!outer_) return;
  outer_->take_loss(loss);
  outer_->after_step(state_.training.position.step, lr);
}

/// All ranks have changed: rank 0 says so.
void Synchronisation::report(const StreamPace& from, const StreamChange& change) const {
  if (!run_.is_first()) return;
  JsonObject line;
  line.add("epoch", state_.training.position.epoch).add("step", state_.training.position.step);
  line.add("from", from.text()).add("to", change.to.text()).add("why", name_of(change.reason));
  const auto add = [&line](const char* name, double value) {
    if (std::isfinite(value)) line.add(name, value);
  };
  add("exchange_seconds", change.signs.exchange_seconds);
  add("hiding_seconds", change.signs.hiding_seconds);
  add("arrived", change.signs.arrived);
  add("distance", change.signs.distance);
  add("loss", change.signs.loss);
  run_.metrics.write("sync_change", line);
  say("=> " + from.text() + " becomes " + change.to.text() + ": " + name_of(change.reason));
}

std::optional<double> Synchronisation::take_hidden() { return outer_ ? outer_->take_hidden() : std::nullopt; }

void Synchronisation::update_buckets() {
  if (reducer_ && reducer_->after_step()) bucket_order_.set(reducer_->buckets());
}

void Synchronisation::begin_steps() {
  if (!outer_) return;
  const Position& position = state_.training.position;
  outer_->begin_epoch(position.step - position.batch, state_.steps_per_epoch);
  outer_->begin_steps();
}

void Synchronisation::abandon() {
  if (outer_) outer_->abandon();
  reducer_.reset();
}

std::function<void()> Synchronisation::take_over(Synchronisation& before, int root, bool behind) {
  // What is saved before the next step has those of the last one.
  bucket_order_.set(before.bucket_order_.buckets());
  if (!before.outer_) return [] {};
  if (outer_) return outer_->take_over(*before.outer_, root, behind);
  return [&before] { before.outer_->keep_own(); };
}

void Synchronisation::admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) {
  if (outer_) outer_->admit(root, is_new, before_sending);
}

void Synchronisation::average_parameters(bool last) {
  if (outer_) outer_->synchronise(last);
}

void Synchronisation::share_buffers() {
  // In training, batch norm uses the batch's own statistics, so it is enough to broadcast rank 0's running statistics before each
  // evaluation: what is measured and saved is the same as with a broadcast each step.
  if (run_.communicator == nullptr) return;
  std::vector<at::Tensor> buffers;
  for (const auto& buffer : model_.module().buffers()) buffers.push_back(buffer.detach());
  // Each rank's statistics are of its own local steps: their mean belongs to the averaged weights. A run that was stopped in its evaluation
  // averages them again when it is resumed.
  ringlab::share_buffers(*run_.communicator, outer_ ? model_.statistics() : std::vector<at::Tensor>{}, buffers);
}

}  // namespace ringlab
