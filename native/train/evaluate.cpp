// Validation: every picture on one rank exactly once, sums over all ranks.
#include <ATen/Functions.h>
#include <torch/nn/functional/loss.h>

#include "base/clock.h"
#include "base/stop_signal.h"
#include "data/loading/loader.h"
#include "data/loading/sampler.h"
#include "train/trainer.h"

namespace ringlab {

torch::Tensor images_of(const Batch& batch) {
  // from_blob never writes; const_cast because its interface has no const form.
  return torch::from_blob(const_cast<float*>(batch.images.data()), {batch.count, batch.shape.channels, batch.shape.size, batch.shape.size}, torch::kFloat);
}

torch::Tensor labels_of(const Batch& batch) { return torch::from_blob(const_cast<int64_t*>(batch.labels.data()), {batch.count}, torch::kLong); }

std::pair<int64_t, int64_t> count_top1_top5(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::NoGradGuard no_grad;
  const int64_t k = std::min<int64_t>(5, logits.size(1));
  const auto best = std::get<1>(logits.topk(k, 1));
  const auto hits = best.eq(labels.view({-1, 1}));
  return {hits.narrow(1, 0, 1).sum().item<int64_t>(), hits.sum().item<int64_t>()};
}

bool Trainer::agree_to_stop() {
  if (communicator_ == nullptr) return stop_requested();
  torch::Tensor flag = torch::full({1}, stop_requested() ? 1.0F : 0.0F);
  communicator_->start_allreduce_max(flag)();
  return flag.item<float>() > 0;
}

EvalResult Trainer::evaluate() {
  const torch::NoGradGuard no_grad;
  model_->eval();
  const double started = steady_seconds();
  const int64_t count = data_.val().size();
  LoaderSettings settings;
  settings.shape = data_.shape;
  settings.batch_size = options_.batch_size;
  settings.workers = options_.workers;
  settings.draft = options_.draft;
  Loader loader(data_.val(), validation_indices(count, launch_.rank, launch_.world_size), settings, [this](const Broken& broken) { warn_broken(broken.path, broken.reason); });
  // Ranks may differ by one batch: a signal is agreed on at those batches that all of them have.
  const int64_t common = (count / launch_.world_size + options_.batch_size - 1) / options_.batch_size;

  AverageMeter time("Time", "%6.3f", AverageMeter::Summary::none);
  AverageMeter losses("Loss", "%.4e", AverageMeter::Summary::none);
  AverageMeter top1("Acc@1", "%6.2f");
  AverageMeter top5("Acc@5", "%6.2f");
  const ProgressMeter progress(loader.batches(), {&time, &losses, &top1, &top5}, "Test: ");
  EvalResult result;
  double end = steady_seconds();
  int64_t number = 0;
  while (const auto batch = loader.next()) {
    if (number < common && agree_to_stop()) {
      result.stopped = true;
      model_->train();
      return result;
    }
    if (batch->count > 0) {
      const auto labels = labels_of(*batch).to(device_);
      // As torchvision's references: in full precision, whatever the training's.
      const auto logits = forward(input_of(*batch), at::kFloat).logits;
      const double loss = torch::nn::functional::cross_entropy(logits, labels).item<double>();
      const auto [hits1, hits5] = count_top1_top5(logits, labels);
      const auto images = static_cast<double>(batch->count);
      losses.update(loss, images);
      top1.update(100.0 * static_cast<double>(hits1) / images, images);
      top5.update(100.0 * static_cast<double>(hits5) / images, images);
    }
    const double now = steady_seconds();
    time.update(now - end);
    end = now;
    if (number % options_.print_freq == 0) progress.display(number + 1);
    ++number;
  }
  if (communicator_ != nullptr) {
    torch::Tensor sums = torch::tensor({losses.sum(), top1.sum(), top5.sum(), top1.count()}, torch::kDouble);
    communicator_->allreduce_sum(sums);
    const auto* values = sums.data_ptr<double>();
    losses.restore(values[0], values[3]);
    top1.restore(values[1], values[3]);
    top5.restore(values[2], values[3]);
  }
  progress.display_summary();
  model_->train();
  result.loss = losses.average();
  result.top1 = top1.average();
  result.top5 = top5.average();
  result.images = static_cast<int64_t>(top1.count());
  result.seconds = steady_seconds() - started;
  return result;
}

}  // namespace ringlab
