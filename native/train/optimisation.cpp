#include "train/optimisation.h"

#include <torch/types.h>

#include <vector>

#include "models/head.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace ringlab {
namespace {

std::unique_ptr<Optimizer> optimizer_over(const Options& options, std::vector<torch::Tensor> parameters) {
  if (options.optimizer == OptimizerKind::sgd) return std::make_unique<Sgd>(std::move(parameters), SgdSettings{options.momentum, options.weight_decay});
  AdamSettings settings;
  settings.weight_decay = options.weight_decay;
  settings.decoupled = options.optimizer == OptimizerKind::adamw;
  return std::make_unique<Adam>(std::move(parameters), settings);
}

ScheduleSettings schedule_settings(const Options& options, double initial) {
  return {options.scheduler, initial, options.gamma, options.step_size, options.epochs, options.warmup_epochs};
}

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const Options& options, Classifier& model) {
  auto optimizer = optimizer_over(options, model.parameters());
  const auto layers = head_layers(model);
  const auto parameters = model.named_parameters();
  std::vector<size_t> head;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (lies_in(parameters[i].key(), layers)) head.push_back(i);
  }
  optimizer->set_head(std::move(head));
  if (options.backbone_lr) optimizer->split(*options.backbone_lr);
  return optimizer;
}

LearningRates::LearningRates(const Options& options) : schedule_(schedule_settings(options, options.learning_rate())) {
  if (options.backbone_lr) backbone_.emplace(schedule_settings(options, *options.backbone_lr));
}

void LearningRates::apply(TrainingState& state, int64_t epoch, int64_t step, int64_t steps) const {
  state.lr = factor_ * schedule_.lr(epoch, step, steps);
  if (backbone_) state.optimizer->set_backbone_rate(factor_ * backbone_->lr(epoch, step, steps));
}

std::optional<double> LearningRates::backbone_lr(int64_t epoch, int64_t step, int64_t steps) const {
  if (!backbone_) return std::nullopt;
  return factor_ * backbone_->lr(epoch, step, steps);
}

}  // namespace ringlab
