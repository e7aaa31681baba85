#include "sync/sync_state.h"

#include <stdexcept>

#include "values/tensor_values.h"

namespace ringlab {

Value SyncState::state_dict() const {
  Value out = Value::dict();
  out.set("mode", Value::text(mode_));
  for (const auto& source : sources_) {
    Value tensors = Value::dict();
    for (const auto& [name, tensor] : source.get()) tensors.set(name, value_of(tensor.contiguous()));
    out.set(source.name, tensors);
  }
  // The learning rate is the schedule's, not the state's.
  if (own_ != nullptr) out.set("optimizer", own_->state_dict(0, 0));
  return out;
}

void SyncState::load_state_dict(const Value& state) {
  const Value* mode = state.find("mode");
  const std::string saved = mode == nullptr ? "" : mode->as_text();
  if (saved != mode_) throw std::runtime_error("was saved with --sync " + saved + ", this run has --sync " + mode_);
  for (const auto& source : sources_) {
    const Value* tensors = state.find(source.name);
    if (tensors == nullptr) throw std::runtime_error("has no state of " + source.name);
    NamedTensors named;
    for (const auto& [name, value] : tensors->entries()) named.emplace_back(name.as_text(), tensor_of(value));
    source.set(named);
  }
  const Value* optimizer = own_ != nullptr ? state.find("optimizer") : nullptr;
  if (optimizer != nullptr) own_->load_state_dict(*optimizer);
}

}  // namespace ringlab
