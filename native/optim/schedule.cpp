#include "optim/schedule.h"

#include <algorithm>
#include <cmath>

namespace ringlab {

double Schedule::scheduled(int64_t epoch) const {
  // One epoch's rate from the previous one, as in Python; cosine's eta_min is 0.
  const double half = std::max(1, settings_.epochs - settings_.warmup_epochs);
  const int64_t last = settings_.kind == ScheduleKind::cosine ? std::min<int64_t>(epoch, static_cast<int64_t>(half)) : epoch;
  const bool goes_on = known_epoch_ > 0 && known_epoch_ <= last;
  double lr = goes_on ? known_lr_ : settings_.initial;
  const int64_t from = goes_on ? known_epoch_ : 0;
  if (settings_.kind == ScheduleKind::step) {
    for (int64_t drops = last / settings_.step_size - from / settings_.step_size; drops > 0; --drops) lr *= settings_.gamma;
  } else if (settings_.kind == ScheduleKind::cosine) {
    for (int64_t e = from + 1; e <= last; ++e) {
      lr = (1 + std::cos(M_PI * static_cast<double>(e) / half)) / (1 + std::cos(M_PI * static_cast<double>(e - 1) / half)) * lr;
    }
  }
  known_epoch_ = last;
  known_lr_ = lr;
  return lr;
}

double Schedule::lr(int64_t epoch, int64_t step, int64_t steps) const {
  if (epoch >= settings_.warmup_epochs) return scheduled(epoch - settings_.warmup_epochs);
  const auto done = static_cast<double>(epoch * steps + step + 1);
  return settings_.initial * done / static_cast<double>(settings_.warmup_epochs * steps);
}

Value Schedule::state_dict(int64_t epoch, const Schedule* backbone) const {
  if (settings_.kind == ScheduleKind::none) return Value::dict();  // as the state of a scheduler that has none: torch.optim's classes load it
  const int64_t counted = std::max<int64_t>(0, epoch - settings_.warmup_epochs);
  Value state = Value::dict();
  if (settings_.kind == ScheduleKind::step) state.set("step_size", Value::integer(settings_.step_size)).set("gamma", Value::real(settings_.gamma));
  else state.set("T_max", Value::integer(std::max(1, settings_.epochs - settings_.warmup_epochs))).set("eta_min", Value::integer(0));
  List initial;
  List rates;
  for (const Schedule* one : {backbone, this}) {
    if (one == nullptr) continue;
    initial.push_back(Value::real(one->settings_.initial));
    rates.push_back(Value::real(one->scheduled(counted)));
  }
  return state.set("base_lrs", Value::list(std::move(initial)))
      .set("last_epoch", Value::integer(counted))
      .set("verbose", Value::boolean(false))
      .set("_step_count", Value::integer(counted + 1))
      .set("_get_lr_called_within_step", Value::boolean(false))
      .set("_last_lr", Value::list(std::move(rates)));
}

}  // namespace ringlab
