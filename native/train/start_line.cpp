#include "train/start_line.h"

#include <ATen/Parallel.h>
#include <torch/version.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/console.h"
#include "base/suggest.h"
#include "train/device/device.h"
#include "train/shares.h"

namespace ringlab {

void write_start_line(const RunContext& run, const RunState& state, const RankModel& model, const Adopted& adopted) {
  int64_t parameters = 0;
  for (const auto& parameter : model.module().parameters()) parameters += parameter.numel();
  JsonObject line;
  line.add("rank", run.launch.rank).add("world_size", run.launch.world_size).add("local_rank", run.launch.local_rank).add("hostname", host_name());
  line.add("pid", static_cast<int64_t>(getpid())).add("arch", run.options.arch).add("parameters", parameters).add("device", run.device.is_cuda() ? "cuda:" + std::to_string(run.launch.gpu) : "cpu");
  if (run.device.is_cuda() && !device_name(run.device).empty()) line.add("device_name", device_name(run.device));
  line.add("backend", run.communicator != nullptr ? word_of(run.options.dist_backend) : "none").add("libtorch", TORCH_VERSION).add("version", RINGLAB_VERSION);
  line.add("sync", run.options.sync.text).add("epochs", run.options.epochs).add("start_epoch", state.training.position.epoch).add("start_step", state.training.position.step);
  line.add("batch_size", state.training.position.global_batch).add("local_batch_size", run.options.batch_size).add("steps_per_epoch", state.steps_per_epoch);
  line.add("next_epoch_steps", steps_of_next_epoch(run, state));
  line.add("train_images", state.share.total).add("own_train_images", state.share.images).add("val_images", run.data.val().size()).add("classes", run.data.classes).add("seed", state.seed);
  line.add("threads", at::get_num_threads());
  line.add("memory_format", model.is_channels_last() ? "channels_last" : "contiguous");
  if (model.replicas() > 0) line.add("replicas", static_cast<int64_t>(model.replicas()));
  if (!state.resume_path.empty()) line.add("resumed_from", state.resume_path);
  if (run.is_first() && !run.options.pretrained.empty()) {
    line.add("pretrained_from", run.options.pretrained);
    if (!adopted.fresh.empty()) line.add("new_parameters", join(adopted.fresh));
    if (adopted.classes > 0) line.add("pretrained_classes", adopted.classes);
    if (!adopted.adapted.empty()) line.add("adapted_parameters", join(adopted.adapted));
  }
  if (model.form().transform_input) line.add("transform_input", true);
  line.add_raw("settings", options_as_json(run.options).str());
  run.metrics.write("start", line);
}

void announce_sharing(const RunContext& run, const char* what, int64_t bytes, std::optional<int64_t> tensors) {
  JsonObject line;
  line.add("what", what);
  if (tensors) line.add("tensors", *tensors);
  line.add("bytes", bytes);
  run.metrics.write("sharing", line);
  char megabytes[32];
  std::snprintf(megabytes, sizeof megabytes, "%.1f MB", static_cast<double>(bytes) / 1e6);
  say(std::string("=> sharing ") + megabytes + " of " + what + " that not all ranks have");
}

}  // namespace ringlab
