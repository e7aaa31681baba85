#include "checkpoint/generators.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>
#include <stdexcept>

#include "values/tensor_values.h"

namespace ringlab {
namespace {

at::Tensor state_of(at::Generator generator) {
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void restore(at::Generator generator, const Value& saved) {
  const at::Tensor state = tensor_of(saved);
  const std::lock_guard lock(generator.mutex());
  const at::Tensor now = generator.get_state();
  // Copied after its size was checked: a file may claim any shape.
  if (state.scalar_type() != now.scalar_type() || state.sizes() != now.sizes()) throw std::runtime_error("its random generator's state is of another libtorch or device");
  generator.set_state(state.clone());
}

}  // namespace

Value generator_states(c10::Device device) {
  Value states = Value::dict();
  states.set("cpu", value_of(state_of(at::detail::getDefaultCPUGenerator())));
  if (!device.is_cpu()) states.set("device", value_of(state_of(at::globalContext().defaultGenerator(device))));
  return states;
}

void restore_generators(const Value& states, c10::Device device) {
  if (const Value* cpu = states.find("cpu")) restore(at::detail::getDefaultCPUGenerator(), *cpu);
  const Value* own = states.find("device");
  if (own != nullptr && !device.is_cpu()) restore(at::globalContext().defaultGenerator(device), *own);
}

}  // namespace ringlab
