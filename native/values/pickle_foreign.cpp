// Objects of other classes that users save beside their weights: the best accuracy as a NumPy scalar, settings, dates,
// generators, the whole module. Nothing of them is imported, constructed or called: their content in the pickle is kept as a
// dict.
#include <cstdint>
#include <cstring>

#include "values/pickle_machine.h"

namespace ringlab {
namespace {

bool begins_with(const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; }

/// Functions that construct plain data of Python, NumPy and torch. A pickle that calls any other is refused.
bool makes_plain_data(const std::string& global) {
  for (const char* module : {"datetime ", "pathlib ", "pathlib._local ", "decimal ", "uuid ", "fractions ", "torch._utils _rebuild_", "torch._tensor _rebuild_", "numpy.random._pickle __"}) {
    if (begins_with(global, module)) return true;
  }
  for (const char* name : {"collections defaultdict", "collections deque", "copy_reg _reconstructor", "copyreg _reconstructor", "functools partial", "torch device", "torch.serialization _get_layout",
                           "numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct", "torchvision.transforms.functional InterpolationMode"}) {
    if (global == name) return true;
  }
  // Members of torchvision's Enums, which other Pythons than 3.11 write as calls of their classes.
  const std::string weights = "_Weights";
  if (begins_with(global, "torchvision.models.") && global.size() > weights.size() && global.compare(global.size() - weights.size(), weights.size(), weights) == 0) return true;
  for (const char* module : {"builtins ", "__builtin__ "}) {
    for (const char* name : {"set", "frozenset", "bytearray", "bytes", "complex", "slice", "range", "xrange", "list", "dict", "tuple", "object"}) {
      if (global == std::string(module) + name) return true;
    }
  }
  return false;
}

template <typename Number>
bool read_number(const std::string& bytes, Number& number) {
  if (bytes.size() != sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);  // both little-endian: other byte orders were refused before
  return true;
}

template <typename Number>
Value integer_of(const std::string& bytes) {
  Number number{};
  return read_number(bytes, number) ? Value::integer(static_cast<int64_t>(number)) : Value();
}

template <typename Number>
Value real_of(const std::string& bytes) {
  Number number{};
  return read_number(bytes, number) ? Value::real(static_cast<double>(number)) : Value();
}

/// numpy.dtype's letter and size, "f8"; None for types that are not Python numbers.
Value number_of(const std::string& dtype, const std::string& bytes) {
  if (dtype == "f8") return real_of<double>(bytes);
  if (dtype == "f4") return real_of<float>(bytes);
  if (dtype == "i8") return integer_of<int64_t>(bytes);
  if (dtype == "i4") return integer_of<int32_t>(bytes);
  if (dtype == "i2") return integer_of<int16_t>(bytes);
  if (dtype == "i1") return integer_of<int8_t>(bytes);
  if (dtype == "u8") return integer_of<uint64_t>(bytes);
  if (dtype == "u4") return integer_of<uint32_t>(bytes);
  if (dtype == "u2") return integer_of<uint16_t>(bytes);
  if (dtype == "u1") return integer_of<uint8_t>(bytes);
  if (dtype == "b1" && bytes.size() == 1) return Value::boolean(bytes[0] != 0);
  return {};
}

/// text.encode('latin1'), the form of bytes in protocol 2; `text` is UTF-8. Nothing if it cannot be encoded.
std::string latin1(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80) {
      bytes += text[i];
    } else if ((first == 0xC2 || first == 0xC3) && i + 1 < text.size()) {
      bytes += static_cast<char>((first & 3U) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    } else {
      return {};
    }
  }
  return bytes;
}

}  // namespace

/// getattr(class, name): Python 3.11 writes members of an Enum so, and all write functions of a class so. Not looked up: as a class, it is
/// None where it is kept, and a call of it gives an object without content.
void PickleMachine::attribute(const std::string& function, const std::vector<Entry>& arguments) {
  const bool sound = arguments.size() == 2 && arguments[0].kind == Entry::Kind::global && arguments[1].is(Value::Kind::text);
  if (!sound) refuse(function);
  push(Entry::Kind::global);
  stack_.back().global = function;  // not the attribute's: names of names could grow without end
  stack_.back().foreign = true;
}

/// False for an unknown function.
bool PickleMachine::foreign_call(const Entry& callee, const std::vector<Entry>& arguments) {
  const std::string& name = callee.global;
  const bool text_first = !arguments.empty() && arguments[0].is(Value::Kind::text);
  if (name == "numpy.core.multiarray scalar" || name == "numpy._core.multiarray scalar") numpy_scalar(arguments);
  else if (name == "numpy dtype") push_foreign(text_first ? arguments[0].value : Value());
  else if (name == "_codecs encode") push_foreign(text_first ? Value::text(latin1(arguments[0].value.as_text())) : Value());
  else if (foreign_ == Foreign::ignored && (name == "builtins getattr" || name == "__builtin__ getattr")) attribute(name, arguments);
  else if (foreign_ == Foreign::ignored && makes_plain_data(name)) push_foreign();
  else return false;
  return true;
}

void PickleMachine::numpy_scalar(const std::vector<Entry>& arguments) {
  const bool sound = arguments.size() == 2 && arguments[0].is(Value::Kind::text) && arguments[1].is(Value::Kind::text);
  push(sound ? number_of(arguments[0].value.as_text(), arguments[1].value.as_text()) : Value());
}

void PickleMachine::push_foreign(Value value) {
  push(std::move(value));
  stack_.back().foreign = true;
}

/// Attributes of the object on top: a dict of them, or with __slots__ a pair of dicts.
void PickleMachine::set_attributes(const Value& state) {
  const Value object = top().value;
  if (!object.is_dict()) return;
  const auto add = [&](const Value& attributes) {
    if (!attributes.is_dict()) return;
    work(attributes.entries().size());
    for (const auto& [key, value] : attributes.entries()) {
      nest(object, key);
      nest(object, value);
      top().value.entries().emplace_back(key, value);
    }
  };
  add(state);
  if (!state.is_sequence()) return;
  for (const Value& part : state.items()) add(part);
}

/// The element that a container receives: None for a class or a function.
Value PickleMachine::value_of(Entry entry) {
  if (foreign_ == Foreign::refused ? entry.kind != Entry::Kind::value || entry.foreign : entry.kind == Entry::Kind::mark) fail("something that is no value");
  if (entry.kind == Entry::Kind::value) return std::move(entry.value);
  if (entry.kind != Entry::Kind::arguments) return {};
  work(entry.arguments->size());
  Value tuple = Value::tuple();
  depths_.erase(tuple.identity());  // a freed container may have had this address
  for (const Entry& one : *entry.arguments) {
    Value item = value_of(one);
    nest(tuple, item);
    tuple.items().push_back(std::move(item));
  }
  return tuple;
}

}  // namespace ringlab
