// A checkpoint's content as plain values: the types that Python's pickle and ours have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ringlab {

/// Element types of torch storages that a checkpoint may hold.
enum class DType { float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, boolean };

size_t item_size(DType dtype);
/// "FloatStorage" for float32, and so on.
const char* storage_name(DType dtype);
bool dtype_of_storage(const std::string& storage_name, DType& dtype);

/// Bytes of one or several tensors; `owner` keeps them alive.
struct Storage {
  DType dtype = DType::float32;
  int64_t elements = 0;
  const uint8_t* data = nullptr;
  std::shared_ptr<const void> owner;
};

/// A view into a storage; offset and strides in elements. The reader has checked that it is within the storage.
struct TensorValue {
  std::shared_ptr<const Storage> storage;
  int64_t offset = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

class Value;
using List = std::vector<Value>;
using Items = std::vector<std::pair<Value, Value>>;

/// One value of a pickle. Lists and dictionaries are shared, as in Python.
class Value {
 public:
  enum class Kind { none, boolean, integer, real, text, list, tuple, dict, ordered_dict, tensor };

  Value() = default;
  static Value boolean(bool value) { return {Kind::boolean, Data(std::in_place_type<int64_t>, value ? 1 : 0)}; }
  static Value integer(int64_t value) { return {Kind::integer, Data(value)}; }
  static Value real(double value) { return {Kind::real, Data(value)}; }
  static Value text(std::string value) { return {Kind::text, Data(std::move(value))}; }
  static Value list(List value = {}) { return {Kind::list, Data(std::make_shared<List>(std::move(value)))}; }
  static Value tuple(List value = {}) { return {Kind::tuple, Data(std::make_shared<List>(std::move(value)))}; }
  static Value dict(Items value = {}) { return {Kind::dict, Data(std::make_shared<Items>(std::move(value)))}; }
  static Value ordered_dict(Items value = {}) { return {Kind::ordered_dict, Data(std::make_shared<Items>(std::move(value)))}; }
  static Value tensor(TensorValue value) { return {Kind::tensor, Data(std::make_shared<TensorValue>(std::move(value)))}; }

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::real || kind_ == Kind::boolean; }
  bool is_sequence() const { return kind_ == Kind::list || kind_ == Kind::tuple; }
  bool is_dict() const { return kind_ == Kind::dict || kind_ == Kind::ordered_dict; }

  /// The accessors throw std::runtime_error with both kinds named if the value is of another kind.
  int64_t as_integer() const;  ///< also for a boolean, and a real without fraction
  double as_real() const;      ///< any number
  const std::string& as_text() const;
  List& items();  ///< list or tuple
  const List& items() const;
  Items& entries();  ///< dict or OrderedDict
  const Items& entries() const;
  const TensorValue& as_tensor() const;

  /// Entry of a dictionary by its text key; null if there is none or this is not a dictionary.
  const Value* find(const std::string& key) const;
  /// The address of a list, tuple or dictionary; null for anything else.
  const void* identity() const;
  /// Python's attribute `_metadata` of an OrderedDict; null without one. Of a file's the versions are read.
  const Value* metadata() const { return metadata_.get(); }
  Value& set_metadata(Value metadata);
  /// A separate container with the same elements; other values unchanged.
  Value shallow_copy() const;
  /// Appends an entry to a dictionary.
  Value& set(const std::string& key, Value value);

 private:
  using Data = std::variant<std::monostate, int64_t, double, std::string, std::shared_ptr<List>, std::shared_ptr<Items>, std::shared_ptr<TensorValue>>;
  Value(Kind kind, Data data) : kind_(kind), data_(std::move(data)) {}
  [[noreturn]] void wrong_kind(const char* wanted) const;

  Kind kind_ = Kind::none;
  Data data_;
  std::shared_ptr<const Value> metadata_;
};

}  // namespace ringlab
