#include "values/tensor_values.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace ringlab {
namespace {

constexpr std::pair<at::ScalarType, DType> kTypes[] = {
    {at::kFloat, DType::float32}, {at::kDouble, DType::float64}, {at::kHalf, DType::float16},  {at::kBFloat16, DType::bfloat16},
    {at::kLong, DType::int64},    {at::kInt, DType::int32},      {at::kShort, DType::int16},   {at::kChar, DType::int8},
    {at::kByte, DType::uint8},    {at::kBool, DType::boolean},
};

std::string shape_text(at::IntArrayRef sizes) {
  std::ostringstream text;
  text << sizes;
  return text.str();
}

}  // namespace

Value value_of(const at::Tensor& source) {
  // Dense in any memory format (channels-last), given by the strides. Only a tensor with gaps is copied.
  at::Tensor plain = source.detach().cpu();
  if (!plain.is_non_overlapping_and_dense()) plain = plain.contiguous();
  const auto tensor = std::make_shared<at::Tensor>(std::move(plain));
  for (const auto& [scalar, dtype] : kTypes) {
    if (tensor->scalar_type() != scalar) continue;
    const auto storage = std::make_shared<Storage>();
    storage->dtype = dtype;
    storage->elements = tensor->numel();
    storage->data = static_cast<const uint8_t*>(tensor->data_ptr());
    storage->owner = tensor;
    return Value::tensor({storage, 0, tensor->sizes().vec(), tensor->strides().vec()});
  }
  throw std::runtime_error("a tensor of an element type that checkpoints do not hold");
}

at::Tensor tensor_of(const Value& value) {
  const auto& tensor = value.as_tensor();
  for (const auto& [scalar, dtype] : kTypes) {
    if (tensor.storage->dtype != dtype) continue;
    const auto storage = tensor.storage;
    // const_cast because from_blob has no const overload; it does not write.
    auto* data = const_cast<uint8_t*>(storage->data) + tensor.offset * static_cast<int64_t>(item_size(dtype));
    return at::from_blob(data, tensor.sizes, tensor.strides, [storage](void*) {}, at::TensorOptions(scalar));
  }
  throw std::runtime_error("a tensor of an unknown element type");
}

void load_state_dict(const Value& state_dict, const std::vector<std::pair<std::string, at::Tensor>>& into) {
  std::map<std::string, const Value*> found;
  for (const auto& [key, value] : state_dict.entries()) {
    std::string name = key.as_text();
    if (name.rfind("module.", 0) == 0) name = name.substr(7);
    if (value.kind() == Value::Kind::tensor) found[name] = &value;
  }
  std::string missing;
  std::string wrong;
  int missing_count = 0;
  for (const auto& [name, tensor] : into) {
    const auto entry = found.find(name);
    if (entry == found.end()) {
      if (++missing_count <= 3) missing += (missing.empty() ? "" : ", ") + name;
      continue;
    }
    const at::Tensor source = tensor_of(*entry->second);
    if (source.sizes() != tensor.sizes() && wrong.empty()) {
      wrong = name + " has the shape " + shape_text(source.sizes()) + ", the model wants " + shape_text(tensor.sizes());
    }
  }
  if (missing_count > 0) throw std::runtime_error("it lacks " + missing + (missing_count > 3 ? " and " + std::to_string(missing_count - 3) + " more" : ""));
  if (!wrong.empty()) throw std::runtime_error(wrong);
  if (found.size() != into.size()) {
    for (const auto& [name, tensor] : into) found.erase(name);
    throw std::runtime_error("it holds " + found.begin()->first + ", which the model does not have");
  }
  const c10::AutoGradMode no_grad(false);
  for (const auto& [name, tensor] : into) {
    at::Tensor target = tensor;
    target.copy_(tensor_of(*found.at(name)));
  }
}

}  // namespace ringlab
