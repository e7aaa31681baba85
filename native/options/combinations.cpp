#include "options/combinations.h"

#include <algorithm>

#include "base/error.h"
#include "sync/mode.h"

namespace ringlab {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Failure(ErrorCode::usage, what); }

}  // namespace

void check_combinations(const Options& options) {
  const SyncMode mode = parse_sync_mode("--sync", options.sync);
  const bool outer = mode.kind == SyncMode::Kind::outer;
  if (options.freeze_bn && options.freeze.empty()) refuse("--freeze-bn: says what becomes of frozen batch norms, and there is no --freeze");
  if (options.backbone_lr && std::find(options.freeze.begin(), options.freeze.end(), "backbone") != options.freeze.end()) {
    refuse("--backbone-lr: with --freeze backbone nothing would learn at this rate; leave out one of them");
  }
  for (const auto& [name, value] : {std::pair{"--transform-input ", options.transform_input}, {"--aux-logits ", options.aux_logits}}) {
    if (value != "auto" && options.arch != "googlenet" && options.arch != "inception_v3") refuse(name + value + ": is for googlenet and inception_v3, and this run's architecture is " + options.arch);
  }
  const std::string replicas = "--replicas " + std::to_string(options.replicas) + ": ";
  if (options.replicas > 0 && options.parallel != "dp") refuse(replicas + "belongs to --parallel dp, and this run has --parallel " + options.parallel);
  if (options.replicas > options.batch_size) refuse(replicas + "--batch-size " + std::to_string(options.batch_size) + " has less than one picture for each");
  if (options.sync_bn && options.parallel != "ddp") refuse("--sync-bn: there are no ranks with --parallel " + options.parallel + "; valid with it: ddp");
  if (options.sync_bn && outer) refuse("--sync-bn: every step would wait for all ranks, which --sync " + options.sync + " is there to avoid; valid with it: the modes that average gradients");
  if (options.sharded_data && options.dummy) refuse("--sharded-data: --dummy has no pictures to divide");
  if (options.cuda_graph && (options.accumulate > 1 || options.parallel == "dp" || options.amp == "fp16")) {
    refuse("--cuda-graph: records one batch of one model with a fixed factor; not with --accumulate, --parallel dp or --amp fp16");
  }
  if (options.amp == "fp16" && remembers_gradients(mode)) {
    refuse("--amp fp16: its scaler throws a step's gradients away now and then, and --sync " + options.sync + " would keep them; valid with it: allreduce, fp16, bf16");
  }
}

}  // namespace ringlab
