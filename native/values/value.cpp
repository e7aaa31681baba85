#include "values/value.h"

#include <cmath>
#include <stdexcept>

namespace ringlab {
namespace {

struct StorageType {
  DType dtype;
  const char* name;
  size_t size;
};

constexpr StorageType kStorageTypes[] = {
    {DType::float32, "FloatStorage", 4}, {DType::float64, "DoubleStorage", 8}, {DType::float16, "HalfStorage", 2}, {DType::bfloat16, "BFloat16Storage", 2},
    {DType::int64, "LongStorage", 8},    {DType::int32, "IntStorage", 4},      {DType::int16, "ShortStorage", 2},  {DType::int8, "CharStorage", 1},
    {DType::uint8, "ByteStorage", 1},    {DType::boolean, "BoolStorage", 1},
};

const StorageType& type_of(DType dtype) {
  for (const auto& type : kStorageTypes) {
    if (type.dtype == dtype) return type;
  }
  throw std::logic_error("a DType without a row in its table");
}

}  // namespace

size_t item_size(DType dtype) { return type_of(dtype).size; }

const char* storage_name(DType dtype) { return type_of(dtype).name; }

bool dtype_of_storage(const std::string& name, DType& dtype) {
  for (const auto& type : kStorageTypes) {
    if (name == type.name) {
      dtype = type.dtype;
      return true;
    }
  }
  return false;
}

void Value::wrong_kind(const char* wanted) const {
  static const char* const names[] = {"None", "a boolean", "an integer", "a float", "a string", "a list", "a tuple", "a dict", "an OrderedDict", "a tensor"};
  throw std::runtime_error(std::string("expected ") + wanted + ", found " + names[static_cast<size_t>(kind_)]);
}

int64_t Value::as_integer() const {
  if (kind_ == Kind::integer || kind_ == Kind::boolean) return std::get<int64_t>(data_);
  if (kind_ == Kind::real) {
    const double value = std::get<double>(data_);
    if (std::trunc(value) == value && std::abs(value) < 9e15) return static_cast<int64_t>(value);
  }
  wrong_kind("an integer");
}

double Value::as_real() const {
  if (kind_ == Kind::real) return std::get<double>(data_);
  if (kind_ == Kind::integer || kind_ == Kind::boolean) return static_cast<double>(std::get<int64_t>(data_));
  wrong_kind("a number");
}

const std::string& Value::as_text() const {
  if (kind_ != Kind::text) wrong_kind("a string");
  return std::get<std::string>(data_);
}

List& Value::items() {
  if (!is_sequence()) wrong_kind("a list");
  return *std::get<std::shared_ptr<List>>(data_);
}

const List& Value::items() const {
  if (!is_sequence()) wrong_kind("a list");
  return *std::get<std::shared_ptr<List>>(data_);
}

Items& Value::entries() {
  if (!is_dict()) wrong_kind("a dict");
  return *std::get<std::shared_ptr<Items>>(data_);
}

const Items& Value::entries() const {
  if (!is_dict()) wrong_kind("a dict");
  return *std::get<std::shared_ptr<Items>>(data_);
}

const TensorValue& Value::as_tensor() const {
  if (kind_ != Kind::tensor) wrong_kind("a tensor");
  return *std::get<std::shared_ptr<TensorValue>>(data_);
}

const Value* Value::find(const std::string& key) const {
  if (!is_dict()) return nullptr;
  for (const auto& [name, value] : entries()) {
    if (name.kind() == Kind::text && name.as_text() == key) return &value;
  }
  return nullptr;
}

const void* Value::identity() const {
  if (is_sequence()) return std::get<std::shared_ptr<List>>(data_).get();
  if (is_dict()) return std::get<std::shared_ptr<Items>>(data_).get();
  return nullptr;
}

Value Value::shallow_copy() const {
  if (is_sequence()) return {kind_, Data(std::make_shared<List>(items()))};
  if (!is_dict()) return *this;
  Value copy(kind_, Data(std::make_shared<Items>(entries())));
  copy.metadata_ = metadata_;
  return copy;
}

Value& Value::set(const std::string& key, Value value) {
  entries().emplace_back(Value::text(key), std::move(value));
  return *this;
}

Value& Value::set_metadata(Value metadata) {
  metadata_ = std::make_shared<const Value>(std::move(metadata));
  return *this;
}

}  // namespace ringlab
