#include "python/script_engine.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "comm/collectives/collective_thread.h"
#include "comm/collectives/share_model.h"
#include "python/script_errors.h"
#include "sync/agreement.h"
#include "sync/outer_average.h"
#include "sync/shared_buffers.h"
#include "sync/streamed/streamed_average.h"

namespace ringlab {
namespace {

/// The entries whose names begin with `part` and a dot, without them.
NamedTensors part_of(const NamedTensors& state, const std::string& part) {
  NamedTensors out;
  for (const auto& [name, tensor] : state) {
    if (name.rfind(part + ".", 0) == 0) out.emplace_back(name.substr(part.size() + 1), tensor);
  }
  return out;
}

}  // namespace

ScriptEngine::ScriptEngine(ScriptRendezvous rendezvous, ScriptModel model, const std::string& mode, int64_t steps_per_epoch, Gradients gradients) : model_(std::move(model)), memory_(model_.parameters) {
  explain_other_exchanges();
  try {
    mode_ = parse_sync_mode("mode", mode);
    if (gradients == Gradients::elsewhere && !averages_every_step(mode_)) {
      refuse_usage("mode " + mode + " does not average the gradients of every step; valid for a hook: " + gradient_mode_forms());
    }
    if (model_.parameters.empty()) refuse_usage("the model has no parameter that is trained");
    if (mode_.compression == Compression::stream) refuse_doubles(model_.parameters, mode);
    CommSettings settings;
    settings.rank = rendezvous.rank;
    settings.world_size = rendezvous.world_size;
    settings.master = rendezvous.master;
    settings.secret = {std::move(rendezvous.secret)};
    settings.interface = std::move(rendezvous.interface);
    settings.rendezvous_timeout = rendezvous.rendezvous_timeout;
    settings.peer_timeout = rendezvous.peer_timeout;
    settings.agreement = {{"mode", mode}, {"steps_per_epoch", std::to_string(steps_per_epoch)}};
    settings.on_peer_lost = [waiting = waiting_](const Failure& failure) { on_peer_lost(*waiting, failure); };
    communicator_ = std::make_unique<Communicator>(std::move(settings));
  } catch (const Failure& failure) {
    throw std::runtime_error(in_words(failure));
  }
  const auto parameters = tensors_of(model_.parameters);
  const bool outer = mode_.kind == SyncMode::Kind::outer;
  const bool streamed = mode_.compression == Compression::stream;
  guarded([&] {
    NamedModel all = !outer || streamed ? with_order(model_.parameters) : model_.parameters;
    all.insert(all.end(), model_.frozen.begin(), model_.frozen.end());
    all.insert(all.end(), model_.buffers.begin(), model_.buffers.end());
    share_model(*communicator_, all);
  });
  if (!streamed && (outer || mode_.compression != Compression::none)) compressor_ = make_compressor(mode_, *communicator_, parameters);
  if (!outer) {
    if (gradients == Gradients::here) make_reducer({});
    return;
  }
  if (streamed) average_ = std::make_unique<StreamedAverage>(*communicator_, parameters, mode_, [this](const StreamPace& from, const StreamChange& change) {
    if (communicator_->rank() == 0) std::fprintf(stderr, "ringlab: %s becomes %s: %s\n", from.text().c_str(), change.to.text().c_str(), name_of(change.reason));
  });
  else average_ = std::make_unique<OuterAverage>(*communicator_, *compressor_, parameters, mode_, steps_per_epoch);
}

ScriptEngine::~ScriptEngine() { close(); }

void ScriptEngine::make_reducer(BucketNames buckets) {
  ReductionSettings settings;
  settings.buckets = std::move(buckets);
  if (compressor_) {
    // Not by way of this, which an exchange that no peer completes outlives.
    settings.average = [compressor = compressor_.get()](const std::vector<size_t>& which, std::vector<at::Tensor>& gradients) { compressor->average(which, gradients); };
    settings.start = mode_.start;
    settings.late = mode_.late;
  }
  reducer_ = std::make_unique<GradientReducer>(*communicator_, model_.parameters, std::move(settings));
}

Communicator& ScriptEngine::communicator() const {
  if (!communicator_) throw std::runtime_error("this synchronisation is closed");
  return *communicator_;
}

/// Whoever waits in a collective cannot be reached; everyone else learns of it in the next call, and a script that is done never does.
void ScriptEngine::on_peer_lost(const Waiting& waiting, const Failure& failure) {
  constexpr double kPatience = 2;
  while (!waiting.closing) {
    const double since = waiting.since;
    if (since > 0 && steady_seconds() - since > kPatience) {
      std::fprintf(stderr, "ringlab: %s\n", in_words(failure).c_str());
      std::fflush(stderr);
      std::_Exit(failure.exit_code());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void ScriptEngine::guarded(const std::function<void()>& collective) {
  communicator();
  waiting_->since = steady_seconds();
  try {
    collective();
    waiting_->since = 0;
  } catch (const Failure& failure) {
    waiting_->since = 0;
    throw std::runtime_error(in_words(failure));
  } catch (const std::exception& error) {
    waiting_->since = 0;
    report(error);
  }
}

void ScriptEngine::report(const std::exception& error) {
  const std::string said = error.what();
  // Nothing was exchanged, and DistributedDataParallel's advice is an argument that there is not here.
  if (said.find("Expected to have finished reduction in the prior iteration") != std::string::npos) throw std::runtime_error(without_gradient(said, model_.parameters, mode_.text));
  broken_ = true;
  const std::string words = is_own_check(said) ? "libtorch refused the exchange: " + said.substr(0, said.find('\n')) : in_words(communicator_->explain(said));
  communicator_->leave(words);
  // Rank 0's store ends with its process: the others need two heartbeats to read who was lost.
  if (communicator_->rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(550));
  throw std::runtime_error(words);
}

/// As DistributedDataParallel the buckets are made anew before the forward pass that follows the first backward, also where it adds up. After a step is
/// too late: a second backward before it (micro-batches, a step that was left out, LBFGS) is counted into the order of the new buckets.
void ScriptEngine::before_forward(bool averages) {
  begin_steps();
  if (!reducer_) return;
  guarded([&] { reducer_->before_pass(); });
  if (averages) reducer_->before_forward(step_);
}

/// Until after_step() backward may wait for the others.
void ScriptEngine::before_backward() {
  if (reducer_) guarded([&] { reducer_->before_backward(); });
}

void ScriptEngine::after_step(double lr) {
  begin_steps();
  follow_memory();
  guarded([&] {
    share_set_weights();
    if (average_) average_->after_step(step_, lr);
    else if (reducer_) reducer_->after_step();
  });
  ++step_;
}

void ScriptEngine::synchronise(bool last) {
  // Some ranks may be at rest, and others not, or have other weights now: all go on from where they were first. What was not sent counts at the end.
  begin_steps();
  follow_memory();
  guarded([&] {
    share_set_weights();
    if (average_) average_->synchronise(last);
    share_buffers(*communicator_, average_ ? model_.statistics : std::vector<at::Tensor>{}, tensors_of(model_.buffers));
  });
  at_rest_ = !last;
}

void ScriptEngine::follow_memory() {
  if (average_ && memory_.moved(model_.parameters)) average_->use_memory(tensors_of(model_.parameters));
}

void ScriptEngine::begin_steps() {
  if (!at_rest_) return;
  take_set_weights();
  at_rest_ = false;
  asks_ = average_ != nullptr;
  if (average_) average_->begin_steps();
}

/// No collective: a rank may call its model, or load weights, where the others do not.
void ScriptEngine::take_set_weights() {
  follow_memory();
  if (at_rest_ && average_ && average_->take_set_weights()) set_ = true;
}

void ScriptEngine::share_set_weights() {
  if (!std::exchange(asks_, false)) return;
  const auto rows = communicator_->all_gather(at::full({1}, int64_t{std::exchange(set_, false)}, at::kLong));
  if (std::any_of(rows.begin(), rows.end(), [](const at::Tensor& row) { return row.item<int64_t>() != 0; })) average_->share_anchor();
}

void ScriptEngine::use_buffers(NamedTensors buffers, std::vector<at::Tensor> statistics) {
  communicator();
  model_.buffers = std::move(buffers);
  model_.statistics = std::move(statistics);
}

void ScriptEngine::check() {
  NamedTensors all = model_.parameters;
  all.insert(all.end(), model_.frozen.begin(), model_.frozen.end());
  guarded([&] { check_sync(*communicator_, all, "step " + std::to_string(step_)); });
}

void ScriptEngine::average(const std::vector<size_t>& which, std::vector<at::Tensor>& gradients) {
  communicator();
  if (average_) throw std::runtime_error(mode_.text + " exchanges weights, not gradients");
  for (const size_t index : which) {
    if (index >= model_.parameters.size()) throw std::runtime_error("there is no parameter " + std::to_string(index));
  }
  guarded([&] {
    communicator_->thread().run([&] {
      if (compressor_) {
        compressor_->average(which, gradients);
        return;
      }
      at::Tensor flat = flatten(gradients).div_(static_cast<double>(communicator_->world_size()));
      communicator_->allreduce_sum(flat);
      unflatten(flat, gradients);
    });
  });
}

NamedTensors ScriptEngine::state() {
  communicator();
  take_set_weights();
  NamedTensors out;
  const auto add = [&out](const std::string& part, const NamedTensors& tensors) {
    for (const auto& [name, tensor] : tensors) out.emplace_back(part + "." + name, tensor);
  };
  // First the exchange under way: it changes the compressor's.
  if (average_) add("average", average_->state());
  if (reducer_ && mode_.late) add("reducer", reducer_->state());
  if (compressor_) add("compressor", compressor_->state());
  for (size_t i = 0; average_ && i < model_.statistics.size(); ++i) out.emplace_back("statistics." + std::to_string(i), model_.statistics[i]);
  return out;
}

void ScriptEngine::load_state(const NamedTensors& state, int64_t step, BucketNames buckets) {
  communicator();
  if (step < 0) throw std::runtime_error("its step is below 0");
  follow_memory();
  if (average_) average_->load_state(part_of(state, "average"), true);
  if (reducer_) {
    size_t named = 0;
    for (const auto& bucket : buckets) named += bucket.size();
    if (named != 0 && named != model_.parameters.size()) throw std::runtime_error("its buckets are of another model");
    make_reducer(std::move(buckets));
    if (mode_.late) reducer_->load_state(part_of(state, "reducer"));
  }
  if (compressor_) compressor_->load_state(part_of(state, "compressor"));
  for (const auto& [number, tensor] : part_of(state, "statistics")) {
    const size_t at = std::strtoull(number.c_str(), nullptr, 10);
    if (at >= model_.statistics.size() || model_.statistics[at].sizes() != tensor.sizes()) throw std::runtime_error("its statistics of batch norm are of another model");
    model_.statistics[at].copy_(tensor);
  }
  step_ = step;
  at_rest_ = true;
  set_ = false;
}

BucketNames ScriptEngine::buckets() const { return reducer_ ? reducer_->buckets() : BucketNames{}; }

Traffic ScriptEngine::traffic() const { return communicator().traffic(); }

void ScriptEngine::close() {
  if (!communicator_) return;
  if (broken_) {
    // Destructors would wait for exchanges that no peer completes.
    waiting_->closing = true;
    static_cast<void>(average_.release());
    static_cast<void>(reducer_.release());
    static_cast<void>(compressor_.release());
    static_cast<void>(communicator_.release());
  } else {
    // These wait for what is under way: a peer that is gone must not keep this process.
    waiting_->since = steady_seconds();
    average_.reset();
    reducer_.reset();
    compressor_.reset();
    waiting_->closing = true;
    communicator_.reset();
    waiting_->since = 0;
  }
  // A script may train many models, one after the other.
  model_ = {};
  memory_ = ParameterMemory(NamedTensors{});
}

}  // namespace ringlab
