#include "options/combinations.h"

#include <algorithm>

#include "base/error.h"
#include "models/architectures/catalog.h"

namespace ringlab {


void check_combinations(const Options& options) {
  const SyncMode& mode = options.sync;
  const bool outer = mode.kind == SyncMode::Kind::outer;
  if (options.freeze_bn && options.freeze.empty()) refuse_usage("--freeze-bn: applies to frozen batch norms, and there is no --freeze");
  if (options.backbone_lr && std::find(options.freeze.begin(), options.freeze.end(), "backbone") != options.freeze.end()) {
    refuse_usage("--backbone-lr: with --freeze backbone no parameter is trained at this rate; leave out one of them");
  }
  for (const auto& [name, value] : {std::pair{"--transform-input ", options.transform_input}, {"--aux-logits ", options.aux_logits}}) {
    if (value != When::automatic && !takes_transform_input(options.arch)) refuse_usage(name + word_of(value) + ": is for googlenet and inception_v3, and this run's architecture is " + options.arch);
  }
  const std::string replicas = "--replicas " + std::to_string(options.replicas) + ": ";
  if (options.replicas > 0 && options.parallel != Parallel::dp) refuse_usage(replicas + "belongs to --parallel dp, and this run has --parallel " + word_of(options.parallel));
  if (options.replicas > options.batch_size) refuse_usage(replicas + "--batch-size " + std::to_string(options.batch_size) + " has less than one image for each");
  if (options.sync_bn && options.parallel != Parallel::ddp) refuse_usage("--sync-bn: there are no ranks with --parallel " + word_of(options.parallel) + "; valid with it: ddp");
  if (options.sync_bn && outer) refuse_usage("--sync-bn: every step would wait for all ranks, which --sync " + mode.text + " is there to avoid; valid with it: the modes that average gradients");
  if (options.on_lost_rank != OnLostRank::end) {
    const std::string chosen = "--on-lost-rank " + word_of(options.on_lost_rank) + ": ";
    const bool goes_on = options.on_lost_rank == OnLostRank::go_on;
    if (options.dist_backend != Backend::gloo) refuse_usage(chosen + "ends what is under way between the ranks, which --dist-backend " + word_of(options.dist_backend) + " cannot; valid with it: gloo");
    if (options.sync_bn && goes_on) refuse_usage(chosen + "not with --sync-bn, whose statistics are of all ranks");
    if (options.sharded_data) refuse_usage(chosen + "not with --sharded-data: a lost rank's part of the images is lost with it");
    if (options.cuda_graph) refuse_usage(chosen + "not with --cuda-graph, which records a step of all ranks");
  }
  if (options.keep_global_batch && options.on_lost_rank != OnLostRank::go_on) {
    refuse_usage("--keep-global-batch: belongs to --on-lost-rank continue, and this run has --on-lost-rank " + word_of(options.on_lost_rank));
  }
  if (options.sharded_data && options.dummy) refuse_usage("--sharded-data: --dummy has no images to divide");
  if (options.cuda_graph && (options.accumulate > 1 || options.parallel == Parallel::dp || options.amp == Amp::fp16)) {
    refuse_usage("--cuda-graph: records one batch of one model with a fixed factor; not with --accumulate, --parallel dp or --amp fp16");
  }
  if (options.amp == Amp::fp16 && remembers_gradients(mode)) {
    refuse_usage("--amp fp16: its scaler skips steps whose gradients overflow, and --sync " + mode.text + " would keep those gradients; valid with it: allreduce, fp16, bf16");
  }
}

}  // namespace ringlab
