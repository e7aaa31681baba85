#include "train/evaluate.h"

#include <ATen/Functions.h>
#include <torch/nn/functional/loss.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/console.h"
#include "base/stop_signal.h"
#include "data/loading/loader.h"
#include "data/loading/sampler.h"
#include "train/device/input_queue.h"
#include "train/leaving.h"

namespace ringlab {
namespace {

/// A collective: was any rank asked to stop?
bool agree_to_stop(const RunContext& run) {
  if (run.communicator == nullptr) return stop_requested();
  torch::Tensor flag = torch::full({1}, stops_all(run) ? 1.0F : 0.0F);
  run.communicator->start_allreduce_max(flag)();
  return flag.item<float>() > 0;
}

}  // namespace

torch::Tensor judge(const torch::Tensor& loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::NoGradGuard no_grad;
  const int64_t k = std::min<int64_t>(5, logits.size(1));
  const auto best = std::get<1>(logits.topk(k, 1));
  const auto hits = best.eq(labels.view({-1, 1}));
  return at::stack({loss.to(at::kDouble), hits.narrow(1, 0, 1).sum().to(at::kDouble), hits.sum().to(at::kDouble)});
}

EvalResult evaluate(const RunContext& run, RankModel& model) {
  const torch::NoGradGuard no_grad;
  const Options& options = run.options;
  model.module().eval();
  const double started = steady_seconds();
  const int64_t count = run.data.val().size();
  std::vector<int64_t> indices = validation_indices(count, run.launch.rank, run.launch.world_size);
  LoaderSettings settings;
  settings.shape = run.data.shape;
  settings.cut = cut_plain(static_cast<int64_t>(indices.size()), options.batch_size);
  // A rank's part is small where there are many ranks: one image of it may be more than 1 %.
  settings.share = count;
  settings.workers = options.workers;
  settings.draft = options.draft;
  int64_t broken_images = 0;
  Loader loader(run.data.val(), std::move(indices), settings, [&run, &broken_images](const Broken& broken) {
    ++broken_images;
    run.warn_broken_image(broken, run.warned->validation);
  });
  run.warn_refused(loader);
  // Ranks may differ by one batch: a stop is agreed on only at batches that all of them have.
  const int64_t common = (count / run.launch.world_size + options.batch_size - 1) / options.batch_size;

  InputQueue inputs(loader, run.device, model.is_channels_last());
  AverageMeter time("Time", "%6.3f", AverageMeter::Summary::none);
  AverageMeter losses("Loss", "%.4e", AverageMeter::Summary::none);
  AverageMeter top1("Acc@1", "%6.2f");
  AverageMeter top5("Acc@5", "%6.2f");
  const ProgressMeter progress(loader.cut().batches(), {&time, &losses, &top1, &top5}, "Test: ");
  EvalResult result;
  double end = steady_seconds();
  int64_t number = 0;
  while (const auto input = inputs.next()) {
    if (number < common && agree_to_stop(run)) {
      result.stopped = true;
      model.module().train();
      return result;
    }
    if (input->count > 0) {
      // As in torchvision's references: in full precision, whatever the training's.
      const auto logits = model.forward(input->images, at::kFloat).logits;
      const auto judged = judge(torch::nn::functional::cross_entropy(logits, input->labels), logits, input->labels);
      inputs.prefetch();
      const auto numbers = judged.to(at::kCPU);
      const auto images = static_cast<double>(input->count);
      losses.update(numbers[0].item<double>(), images);
      top1.update(100.0 * numbers[1].item<double>() / images, images);
      top5.update(100.0 * numbers[2].item<double>() / images, images);
    }
    const double now = steady_seconds();
    time.update(now - end);
    end = now;
    if (number % options.print_freq == 0) progress.display(number + 1);
    ++number;
  }
  if (run.communicator != nullptr) {
    torch::Tensor sums = torch::tensor({losses.sum(), top1.sum(), top5.sum(), top1.count(), static_cast<double>(broken_images)}, torch::kDouble);
    run.communicator->allreduce_sum(sums);
    const auto* values = sums.data_ptr<double>();
    losses.restore(values[0], values[3]);
    top1.restore(values[1], values[3]);
    top5.restore(values[2], values[3]);
    // Each rank's own may be few of the split, and together too many.
    if (values[4] * 100 > static_cast<double>(count)) throw too_many_broken(static_cast<int64_t>(values[4]), count, "validation");
  }
  progress.display_summary();
  model.module().train();
  result.loss = losses.average();
  result.top1 = top1.average();
  result.top5 = top5.average();
  result.images = static_cast<int64_t>(top1.count());
  result.seconds = steady_seconds() - started;
  return result;
}

}  // namespace ringlab
