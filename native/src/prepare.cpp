// From a connected rank to one that can take its first step: model, optimiser, checkpoint, start line.
#include <ATen/Parallel.h>
#include <torch/utils.h>
#include <torch/version.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <sstream>

#include "checkpoint/tensor_values.h"
#include "src/trainer.h"

namespace ringlab {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

void Trainer::prepare() {
  const int64_t per_rank = (data_.train.size() + launch_.world_size - 1) / launch_.world_size;
  steps_per_epoch_ = (per_rank + options_.batch_size - 1) / options_.batch_size;
  if (steps_per_epoch_ > 1 && per_rank % options_.batch_size == 1 && options_.image_size <= 64) --steps_per_epoch_;
  // The generator of the initial weights: rank 0's count, the others receive them.
  seed_ = options_.seed ? *options_.seed : static_cast<int64_t>(std::random_device()());
  torch::manual_seed(static_cast<uint64_t>(seed_));
  std::printf("=> creating model '%s'\n", options_.arch.c_str());
  ModelSettings settings;
  settings.classes = data_.classes;
  model_ = make_model(options_.arch, settings);
  optimizer_ = std::make_unique<Sgd>(model_->parameters(), SgdSettings{options_.momentum, options_.weight_decay});
  state_.arch = options_.arch;
  state_.model = state_dict(*model_);
  state_.optimizer = optimizer_.get();
  state_.initial_lr = options_.lr;
  state_.gamma = options_.gamma;
  state_.step_size = options_.step_size;
  state_.position.epoch = options_.start_epoch;
  state_.position.step = options_.start_epoch * steps_per_epoch_;
  if (launch_.rank == 0) resume();
  if (communicator_ != nullptr) {
    std::vector<std::pair<std::string, torch::Tensor>> parameters;
    for (const auto& item : model_->named_parameters()) parameters.emplace_back(item.key(), item.value());
    reducer_ = std::make_unique<GradientReducer>(*communicator_, parameters, model_->buffers());
    share_position();
  }
  state_.position.global_batch = int64_t{options_.batch_size} * launch_.world_size;
  state_.position.world_size = launch_.world_size;
  state_.position.seed = seed_;
  state_.lr = step_lr(options_.lr, options_.gamma, options_.step_size, state_.position.epoch);
  load_rank_state();
  progress_.step = state_.position.step;
  progress_.epochs_completed = state_.position.epoch;
  if (!options_.resume.empty()) progress_.best_top1 = state_.best_top1;
  write_start_line();
}

/// Rank 0 alone reads files; the others need none of them.
void Trainer::resume() {
  if (!options_.pretrained.empty()) {
    std::printf("=> using pre-trained model '%s'\n", options_.arch.c_str());
    const Value weights = load_weights(options_.pretrained);
    try {
      load_state_dict(weights, state_.model);
    } catch (const std::runtime_error& error) {
      throw std::move(Failure(ErrorCode::checkpoint_mismatch, options_.pretrained + ": " + error.what(), "give weights of " + options_.arch).at_path(options_.pretrained));
    }
  }
  if (options_.resume.empty()) return;
  std::printf("=> loading checkpoint '%s'\n", options_.resume.c_str());
  const LoadedCheckpoint loaded = load_checkpoint(options_.resume);
  restore(loaded, options_.resume, state_);
  state_.position.epoch = loaded.epoch;
  state_.position.step = loaded.epoch * steps_per_epoch_;
  if (loaded.position) {
    const Position& from = *loaded.position;
    state_.position = from;
    if (!options_.seed) seed_ = from.seed;
    const int64_t global_batch = int64_t{options_.batch_size} * launch_.world_size;
    if (from.batch > 0 && (from.global_batch != global_batch || from.world_size != launch_.world_size)) {
      state_.position.batch = std::min(from.batch * from.global_batch / global_batch, steps_per_epoch_);
      metrics_.warn("position_changed", "the checkpoint stands in the middle of epoch " + std::to_string(from.epoch) + " of a run with another batch size or world size",
                    "goes on after about as many images; a few may come twice or not at all");
    }
  }
  std::printf("=> loaded checkpoint '%s' (epoch %lld)\n", options_.resume.c_str(), static_cast<long long>(loaded.epoch));
}

/// Rank 0's position, seed and momentum for everyone; the model went with the reducer's broadcast.
void Trainer::share_position() {
  const Position& mine = state_.position;
  auto& buffers = optimizer_->momentum_buffers();
  std::ostringstream out;
  out.precision(17);
  out << mine.epoch << ' ' << mine.step << ' ' << mine.batch << ' ' << seed_ << ' ' << state_.best_top1 << ' ';
  for (const auto& buffer : buffers) out << (buffer.defined() ? '1' : '0');
  std::string text = out.str();
  communicator_->broadcast_bytes(text);
  std::istringstream in(text);
  std::string defined;
  in >> state_.position.epoch >> state_.position.step >> state_.position.batch >> seed_ >> state_.best_top1 >> defined;
  std::vector<torch::Tensor> shared;
  for (size_t i = 0; i < buffers.size() && i < defined.size(); ++i) {
    if (defined[i] != '1') continue;
    if (!buffers[i].defined()) buffers[i] = torch::zeros_like(optimizer_->parameters()[i].detach());
    shared.push_back(buffers[i]);
  }
  if (!shared.empty()) communicator_->broadcast(shared);
}

/// The sums of a half-done epoch. They are an account only: where they are missing the epoch's means start anew.
void Trainer::load_rank_state() {
  if (options_.resume.empty() || state_.position.batch == 0) return;
  auto state = ringlab::load_rank_state(folder_of(options_.resume) + "rank-state.pth");
  if (!state || state->rank != launch_.rank) state = ringlab::load_rank_state("rank-state.pth");
  if (state && state->rank == launch_.rank && state->position.step == state_.position.step) {
    sums_ = state->sums;
    return;
  }
  metrics_.warn("rank_state_missing", "no rank-state.pth of step " + std::to_string(state_.position.step) + " for rank " + std::to_string(launch_.rank),
                "the means of epoch " + std::to_string(state_.position.epoch) + " cover only its second part");
}

void Trainer::write_start_line() {
  int64_t parameters = 0;
  for (const auto& parameter : model_->parameters()) parameters += parameter.numel();
  JsonObject line;
  line.add("rank", launch_.rank).add("world_size", launch_.world_size).add("local_rank", launch_.local_rank).add("hostname", host_name());
  line.add("pid", static_cast<int64_t>(getpid())).add("arch", options_.arch).add("parameters", parameters).add("device", "cpu");
  line.add("backend", communicator_ != nullptr ? options_.dist_backend : "none").add("libtorch", TORCH_VERSION).add("version", RINGLAB_VERSION);
  line.add("sync", options_.sync).add("epochs", options_.epochs).add("start_epoch", state_.position.epoch).add("start_step", state_.position.step);
  line.add("batch_size", state_.position.global_batch).add("local_batch_size", options_.batch_size).add("steps_per_epoch", steps_per_epoch_);
  line.add("train_images", data_.train.size()).add("val_images", data_.val.size()).add("classes", data_.classes).add("seed", seed_);
  line.add("threads", at::get_num_threads());
  if (!options_.resume.empty()) line.add("resumed_from", options_.resume);
  line.add_raw("settings", options_as_json(options_).str());
  metrics_.write("start", line);
}

}  // namespace ringlab
