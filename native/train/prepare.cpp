// From a connected rank to one that can take its first step: model, optimiser, start line. The checkpoint: resume.cpp.
#include <ATen/Parallel.h>
#include <torch/utils.h>
#include <torch/version.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include "base/suggest.h"
#include "data/loading/loader.h"
#include "models/head.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "train/trainer.h"
#include "values/tensor_values.h"

namespace ringlab {

namespace {

std::unique_ptr<Optimizer> make_optimizer(const Options& options, std::vector<torch::Tensor> parameters) {
  if (options.optimizer == "sgd") return std::make_unique<Sgd>(std::move(parameters), SgdSettings{options.momentum, options.weight_decay});
  AdamSettings settings;
  settings.weight_decay = options.weight_decay;
  settings.decoupled = options.optimizer == "adamw";
  return std::make_unique<Adam>(std::move(parameters), settings);
}

/// The same for two ranks that read the same folder, and for no others: machines made from one image have the same names and
/// numbers for it.
std::string folder_identity(const std::string& path) {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) throw std::move(Failure(ErrorCode::bad_data, path + ": " + std::strerror(errno)).at_path(path));
  return (boot.empty() ? host_name() : boot) + " " + std::to_string(found.st_dev) + " " + std::to_string(found.st_ino);
}

}  // namespace

int64_t Trainer::images_a_step() const { return int64_t{options_.batch_size} * options_.accumulate * launch_.world_size; }

/// With --sharded-data the ranks tell each other which folder they read and how much is in it.
Share Trainer::agree_on_share() {
  const int64_t own = data_.train().size();
  if (!options_.sharded_data || communicator_ == nullptr) return share_of_all(own, launch_.rank, launch_.world_size);
  std::vector<FolderPart> parts;
  for (const auto& text : communicator_->gather_texts(std::to_string(own) + " " + folder_identity(options_.dir))) {
    const size_t space = text.find(' ');
    parts.push_back({text.substr(space + 1), std::stoll(text)});
  }
  return share_of_part(parts, launch_.rank);
}

void Trainer::prepare() {
  share_ = agree_on_share();
  // A last group of fewer batches makes a step too.
  steps_per_epoch_ = (training_batches(share_.per_rank, options_.batch_size, data_.shape) + options_.accumulate - 1) / options_.accumulate;
  // The generator of the initial weights: rank 0's count, the others receive them.
  seed_ = options_.seed ? *options_.seed : static_cast<int64_t>(std::random_device()());
  torch::manual_seed(static_cast<uint64_t>(seed_));
  folder_ = choose_folder();
  resume_path_ = options_.resume;
  if (launch_.rank == 0) open_files();
  choose_form();
  prepare_model(resumed_ ? &*resumed_ : nullptr);
  prepare_optimizer();
  state_.arch = options_.arch;
  state_.model = state_dict(*model_);
  for (const auto& buffer : model_->named_buffers()) state_.buffers.insert(buffer.key());
  state_.optimizer = optimizer_.get();
  if (options_.amp == "fp16") {
    scaler_ = std::make_unique<GradientScaler>();
    state_.parts.emplace_back("scaler", scaler_.get());
  }
  if (communicator_ != nullptr && parse_sync_mode("--sync", options_.sync).kind != SyncMode::Kind::outer) state_.parts.emplace_back("buckets", &bucket_order_);
  state_.initial_lr = options_.learning_rate();
  state_.module_prefix = options_.module_prefix == "on" || (options_.module_prefix == "auto" && launch_.distributed);
  state_.input = {options_.image_size, options_.input_channels, data_.train().classes(), form_.transform_input};
  state_.position.epoch = options_.start_epoch;
  state_.position.step = steps_in(options_.start_epoch, steps_per_epoch_);
  run_id_ = std::random_device()() * (uint64_t{1} << 32) + std::random_device()();
  if (launch_.rank == 0) {
    take_pretrained();
    resume();
  }
  if (communicator_ != nullptr) {
    std::vector<std::pair<std::string, torch::Tensor>> parameters;
    for (const auto& item : model_->named_parameters()) parameters.emplace_back(item.key(), item.value());
    share_model(*communicator_, parameters, model_->buffers());
    share_position();
    prepare_sync();
  }
  prepare_recording();
  load_rank_states();
  checkpoint_set_ = std::make_unique<CheckpointSet>(launch_.rank, launch_.world_size, communicator_ != nullptr ? &communicator_->board() : nullptr, folder_, set_is_whole_);
  state_.position.global_batch = images_a_step();
  state_.position.world_size = launch_.world_size;
  state_.position.seed = seed_;
  set_rates(state_.position.epoch, state_.position.batch);
  progress_.step = state_.position.step;
  progress_.epochs_completed = state_.position.epoch;
  if (!resume_path_.empty()) progress_.best_top1 = state_.best_top1;
  write_start_line();
}

/// The buckets that the run which is gone on with would use next; none where its checkpoint has none for these parameters. Then the
/// run begins as one of Python's does with any checkpoint, which at two ranks makes no difference.
BucketNames Trainer::saved_buckets(const std::vector<std::pair<std::string, at::Tensor>>& trained) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : trained) names.push_back(name);
  if (bucket_order_.fits(names)) return bucket_order_.buckets();
  const bool other = !bucket_order_.buckets().empty();
  bucket_order_.set({});
  // Not of Python's checkpoints, which have no position: it is theirs to go on so.
  const Position& from = state_.position;  // as in load_rank_states()
  const bool same_run = !from.epoch_id.empty() && from.step > 0 && from.world_size == launch_.world_size;
  if (same_run && launch_.rank == 0 && launch_.world_size > 2 && !options_.evaluate) {
    metrics_.warn("buckets_unknown", resume_path_ + (other ? " keeps the buckets of other parameters" : " does not keep the buckets in which gradients were added"),
                  "the first step adds them in another order than the run before would have: from three ranks on the weights differ in their last bits, as after any resume in Python");
  }
  return {};
}

void Trainer::prepare_optimizer() {
  optimizer_ = make_optimizer(options_, model_->parameters());
  const auto layers = head_layers(*model_);
  const auto parameters = model_->named_parameters();
  std::vector<size_t> head;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (lies_in(parameters[i].key(), layers)) head.push_back(i);
  }
  optimizer_->set_head(std::move(head));
  if (options_.backbone_lr) optimizer_->split(*options_.backbone_lr);
}

/// Of both parameter groups, where there are two.
void Trainer::set_rates(int64_t epoch, int64_t step) {
  state_.lr = schedule_.lr(epoch, step, steps_per_epoch_);
  if (backbone_schedule_) optimizer_->set_backbone_rate(backbone_schedule_->lr(epoch, step, steps_per_epoch_));
}

/// What averages the gradients, or the parameters.
void Trainer::prepare_sync() {
  const SyncMode mode = parse_sync_mode("--sync", options_.sync);
  std::vector<std::pair<std::string, at::Tensor>> trained;
  std::vector<at::Tensor> tensors;
  for (const auto& item : model_->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    trained.emplace_back(item.key(), item.value());
    tensors.push_back(item.value());
  }
  if (trained.empty()) return;
  const bool outer = mode.kind == SyncMode::Kind::outer;
  if (outer || mode.compression != Compression::none) compressor_ = make_compressor(mode, *communicator_, tensors);
  std::vector<SyncState::Source> sources;
  if (compressor_) {
    sources.push_back({"compressor", [this] { return compressor_->state(); }, [this](const NamedTensors& state) { compressor_->load_state(state); }});
  }
  if (outer) {
    if (mode.period > steps_per_epoch_) {
      throw Failure(ErrorCode::usage, "--sync " + mode.text + ": " + std::to_string(mode.period) + " local steps are more than an epoch has; valid: 1 to " + std::to_string(steps_per_epoch_));
    }
    outer_ = std::make_unique<OuterAverage>(*communicator_, *compressor_, tensors, mode, steps_per_epoch_);
    // Before the compressor's: it waits for what is on its way, which changes the compressor's.
    sources.push_back({"statistics", [this] { return own_statistics(); }, [this](const NamedTensors& state) { take_statistics(state); }});
    sources.insert(sources.begin(), {"outer", [this] { return outer_->state(); }, [this](const NamedTensors& state) { outer_->load_state(state); }});
  } else {
    ReductionSettings settings;
    settings.buckets = saved_buckets(trained);
    if (compressor_) {
      settings.average = [this](const std::vector<size_t>& which, std::vector<at::Tensor>& gradients) { compressor_->average(which, gradients); };
      settings.start = mode.start;
      settings.late = mode.late;
    }
    reducer_ = std::make_unique<GradientReducer>(*communicator_, trained, std::move(settings));
    if (mode.late) {
      sources.insert(sources.begin(), {"reducer", [this] { return reducer_->state(); }, [this](const NamedTensors& state) { reducer_->load_state(state); }});
    }
  }
  if (sources.empty()) return;
  sync_state_ = std::make_unique<SyncState>(mode.text, std::move(sources), outer ? optimizer_.get() : nullptr);
  rank_parts_.emplace_back("sync", sync_state_.get());
}

/// In the middle of an epoch; at its end they are in the model, equal on all ranks.
NamedTensors Trainer::own_statistics() const {
  NamedTensors out;
  if (state_.position.batch == 0) return out;
  for (const auto& tensor : statistics()) out.emplace_back(std::to_string(out.size()), tensor);
  return out;
}

void Trainer::take_statistics(const NamedTensors& saved) {
  auto own = statistics();
  for (const auto& [number, tensor] : saved) {
    const size_t at = std::stoul(number);
    if (at >= own.size() || own[at].sizes() != tensor.sizes()) throw std::runtime_error("statistics of batch norm are another model's");
    own[at].copy_(tensor);
  }
}

void Trainer::write_start_line() {
  int64_t parameters = 0;
  for (const auto& parameter : model_->parameters()) parameters += parameter.numel();
  JsonObject line;
  line.add("rank", launch_.rank).add("world_size", launch_.world_size).add("local_rank", launch_.local_rank).add("hostname", host_name());
  line.add("pid", static_cast<int64_t>(getpid())).add("arch", options_.arch).add("parameters", parameters).add("device", device_.is_cuda() ? "cuda:" + std::to_string(launch_.gpu) : "cpu");
  if (device_.is_cuda() && !device_name(device_).empty()) line.add("device_name", device_name(device_));
  line.add("backend", communicator_ != nullptr ? options_.dist_backend : "none").add("libtorch", TORCH_VERSION).add("version", RINGLAB_VERSION);
  line.add("sync", options_.sync).add("epochs", options_.epochs).add("start_epoch", state_.position.epoch).add("start_step", state_.position.step);
  line.add("batch_size", state_.position.global_batch).add("local_batch_size", options_.batch_size).add("steps_per_epoch", steps_per_epoch_);
  line.add("train_images", share_.total).add("own_train_images", share_.pictures).add("val_images", data_.val().size()).add("classes", data_.classes).add("seed", seed_);
  line.add("threads", at::get_num_threads());
  line.add("memory_format", channels_last_ ? "channels_last" : "contiguous");
  if (replicas_) line.add("replicas", static_cast<int64_t>(replica_devices().size()));
  if (!resume_path_.empty()) line.add("resumed_from", resume_path_);
  if (launch_.rank == 0 && !options_.pretrained.empty()) {
    line.add("pretrained_from", options_.pretrained);
    if (!adopted_.fresh.empty()) line.add("new_parameters", join(adopted_.fresh));
    if (adopted_.classes > 0) line.add("pretrained_classes", adopted_.classes);
    if (!adopted_.adapted.empty()) line.add("adapted_parameters", join(adopted_.adapted));
  }
  if (form_.transform_input) line.add("transform_input", true);
  line.add_raw("settings", options_as_json(options_).str());
  metrics_.write("start", line);
}

}  // namespace ringlab
