// The few objects that a pickle may build: dictionaries of collections, tensors and parameters of torch. Nothing is executed.
// For other objects see pickle_foreign.cpp.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/checked.h"
#include "values/pickle_machine.h"

namespace ringlab {
namespace {

constexpr const char* kOrderedDict = "collections OrderedDict";
constexpr const char* kCounter = "collections Counter";  // holds the milestones of MultiStepLR
constexpr const char* kTensor = "torch._utils _rebuild_tensor_v2";
constexpr const char* kFirstTensor = "torch._utils _rebuild_tensor";  // before 0.4
constexpr const char* kParameterClass = "torch.nn.parameter Parameter";  // before 0.4
constexpr const char* kSize = "torch Size";
constexpr const char* kNamespace = "argparse Namespace";  // the arguments saved by torchvision's references
constexpr const char* kParameter = "torch._utils _rebuild_parameter";
constexpr const char* kParameterWithState = "torch._utils _rebuild_parameter_with_state";

bool storage_class(const std::string& global, DType& dtype) {
  for (const std::string module : {"torch ", "torch.cuda "}) {
    if (global.rfind(module, 0) == 0) return dtype_of_storage(global.substr(module.size()), dtype);
  }
  return false;
}

bool allowed(const std::string& global) {
  for (const char* name : {kOrderedDict, kCounter, kTensor, kFirstTensor, kParameter, kParameterWithState, kParameterClass, kSize, kNamespace}) {
    if (global == name) return true;
  }
  DType dtype{};
  return storage_class(global, dtype);
}

/// Part of NumPy's scalars, which users save as their best accuracy.
bool makes_scalars(const std::string& global) { return global == "numpy.core.multiarray scalar" || global == "numpy._core.multiarray scalar" || global == "numpy dtype" || global == "_codecs encode"; }

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += c >= 32 && c < 127 ? c : '?';
  return out;
}

}  // namespace

void PickleMachine::refuse(const std::string& global) const { fail("it wants to call " + printable(global) + ", which a checkpoint has no need of: refused"); }

void PickleMachine::global(const std::string& name) {
  if (foreign_ == Foreign::refused && !allowed(name) && !makes_scalars(name)) refuse(name);
  push(Entry::Kind::global);
  stack_.back().global = name;
}

std::vector<PickleMachine::Entry> PickleMachine::take_arguments() {
  Entry entry = pop();
  if (entry.kind == Entry::Kind::arguments) {
    work(entry.arguments->size());
    return *entry.arguments;
  }
  if (!entry.is(Value::Kind::tuple)) fail("constructor arguments are not a tuple");
  work(entry.value.items().size());
  std::vector<Entry> arguments;
  for (const auto& item : entry.value.items()) arguments.emplace_back().value = item;
  return arguments;
}

void PickleMachine::reduce() {
  const auto arguments = take_arguments();
  const Entry callee = pop();
  if (callee.kind != Entry::Kind::global) fail("it calls something that has no name");
  if (callee.foreign) return push_foreign();
  if (callee.global == kOrderedDict) return ordered_dict(arguments);
  if (callee.global == kTensor || callee.global == kFirstTensor) return rebuild_tensor(arguments);
  if (callee.global == kSize) {
    if (arguments.size() != 1 || !arguments[0].is(Value::Kind::tuple)) fail("a Size of something else than a tuple");
    return push(arguments[0].value);
  }
  if (callee.global == kCounter) {
    if (arguments.size() != 1 || !arguments[0].is(Value::Kind::dict)) fail("a Counter of something else than a dict");
    return push_dict(Value::dict(arguments[0].value.entries()));
  }
  if (callee.global == kParameter || callee.global == kParameterWithState || callee.global == kParameterClass) {
    if (arguments.empty() || !arguments[0].is(Value::Kind::tensor)) fail("a parameter without a tensor");
    return push(arguments[0].value);
  }
  if (!foreign_call(callee, arguments)) refuse(callee.global);
}

void PickleMachine::ordered_dict(const std::vector<Entry>& arguments) {
  if (arguments.empty()) return push(Value::ordered_dict());
  if (arguments.size() != 1 || !arguments[0].value.is_sequence()) fail("an OrderedDict of something else than pairs");
  Items items;
  for (const auto& pair : arguments[0].value.items()) {
    if (!pair.is_sequence() || pair.items().size() != 2) fail("an OrderedDict of something else than pairs");
    items.emplace_back(pair.items()[0], pair.items()[1]);
  }
  push_dict(Value::ordered_dict(std::move(items)));
}

/// A Namespace: an empty dict, filled by BUILD.
void PickleMachine::new_object() {
  const auto arguments = take_arguments();
  const Entry callee = pop();
  if (callee.kind != Entry::Kind::global) fail("it makes an object of a class");
  if (callee.global == kNamespace && arguments.empty()) return push(Value::dict());
  if (foreign_ == Foreign::refused) fail("it makes an object of a class");
  push_foreign();
}

/// Of a state_dict's `_metadata` the modules' versions, so that it is written with those it had. As new values: a file may nest its own in each other.
Value PickleMachine::versions_in(const Value& metadata) {
  Value versions = Value::ordered_dict();
  work(metadata.entries().size());
  for (const auto& [module, entry] : metadata.entries()) {
    const Value* version = entry.find("version");
    if (module.kind() != Value::Kind::text || version == nullptr || version->kind() != Value::Kind::integer) continue;
    versions.set(module.as_text(), Value::dict().set("version", *version));
  }
  return versions;
}

/// BUILD sets attributes of an object; state_dict() sets `_metadata` on its OrderedDict.
void PickleMachine::build() {
  const Value state = pop_value();
  if (top().foreign) return set_attributes(state);
  if (foreign_ == Foreign::ignored && !top().value.is_dict()) return;  // of a tensor: its Python attributes
  if (!state.is_dict()) fail("it sets attributes of an object");
  if (top().is(Value::Kind::ordered_dict)) {
    const Value* metadata = state.find("_metadata");
    if (metadata != nullptr && metadata->is_dict()) top().value.set_metadata(versions_in(*metadata));
    return;
  }
  if (!top().is(Value::Kind::dict) || !top().value.entries().empty()) fail("it sets attributes of an object");
  pop();
  push_dict(Value::dict(state.entries()));
}

/// Part of a storage, as in files of before 0.4: (its key, offset, elements).
std::shared_ptr<const Storage> PickleMachine::view_of(std::shared_ptr<const Storage> storage, const Entry& view) {
  if (view.is(Value::Kind::none)) return storage;
  if (!view.is(Value::Kind::tuple) || view.value.items().size() != 3) fail("a view of a storage that is none");
  const int64_t offset = view.value.items()[1].as_integer();
  const int64_t elements = view.value.items()[2].as_integer();
  if (offset < 0 || elements < 0 || offset > storage->elements || elements > storage->elements - offset) fail("a view reaches outside its storage");
  auto part = std::make_shared<Storage>();
  part->dtype = storage->dtype;
  part->elements = elements;
  if (storage->data != nullptr) part->data = storage->data + static_cast<size_t>(offset) * item_size(storage->dtype);
  part->owner = std::move(storage);
  return part;
}

/// persistent_load: ('storage', class, key, location, elements), before 1.6 followed by a view or None. The location ("cuda:0")
/// is ignored.
void PickleMachine::persistent_id() {
  const auto id = take_arguments();
  // Before 1.6 the class of a module was saved with its source, ('module', class, file, source).
  if (foreign_ == Foreign::ignored && id.size() == 4 && id[1].kind == Entry::Kind::global) return stack_.push_back(id[1]);
  if ((id.size() != 5 && id.size() != 6) || !id[0].is(Value::Kind::text) || id[0].value.as_text() != "storage" || id[1].kind != Entry::Kind::global || !id[2].is(Value::Kind::text) ||
      !id[4].is(Value::Kind::integer)) {
    fail("a persistent id that is not a storage");
  }
  DType dtype{};
  if (!storage_class(id[1].global, dtype)) {
    if (foreign_ == Foreign::refused) fail("a storage of an unknown type");
    return push(Entry::Kind::storage);  // complex or quantised: no tensor is built from it
  }
  const int64_t elements = id[4].value.as_integer();
  if (elements < 0) fail("a storage of negative size");
  auto storage = load_storage_(id[2].value.as_text(), dtype, elements);
  if (id.size() == 6) storage = view_of(std::move(storage), id[5]);
  push(Entry::Kind::storage);
  stack_.back().storage = std::move(storage);
}

std::vector<int64_t> PickleMachine::integers(const Entry& entry) {
  if (entry.kind != Entry::Kind::value || !entry.value.is_sequence()) fail("a tensor's shape is not a tuple");
  if (entry.value.items().size() > 16) fail("a tensor of more than 16 dimensions");
  std::vector<int64_t> values;
  for (const auto& item : entry.value.items()) {
    if (item.kind() != Value::Kind::integer || item.as_integer() < 0) fail("a tensor's shape holds something that is not a size");
    values.push_back(item.as_integer());
  }
  return values;
}

/// Arguments: storage, offset, sizes, strides, requires_grad, hooks, and since 2.0 metadata; the last three are ignored.
void PickleMachine::rebuild_tensor(const std::vector<Entry>& arguments) {
  if (arguments.size() < 4 || arguments[0].kind != Entry::Kind::storage || !arguments[1].is(Value::Kind::integer)) fail("a tensor's arguments are wrong");
  if (arguments[0].storage == nullptr) return push(Value());
  TensorValue tensor{arguments[0].storage, arguments[1].value.as_integer(), integers(arguments[2]), integers(arguments[3])};
  if (tensor.sizes.size() != tensor.strides.size() || tensor.offset < 0) fail("a tensor's shape is wrong");
  if (tensor.offset > tensor.storage->elements) fail("a tensor begins outside its storage");
  bool empty = false;
  for (const int64_t size : tensor.sizes) empty = empty || size == 0;
  int64_t last = tensor.offset;
  int64_t elements = 1;
  for (size_t i = 0; i < tensor.sizes.size() && !empty; ++i) {
    const auto reach = checked_multiply(tensor.sizes[i] - 1, tensor.strides[i]);
    const auto end = reach ? checked_add(last, *reach) : std::nullopt;
    const auto count = checked_multiply(elements, tensor.sizes[i]);
    if (!end || !count) fail("a tensor's shape overflows");
    last = *end;
    elements = *count;
  }
  // Strides of 0 repeat one element: a copy of such a tensor would use memory for each.
  constexpr int64_t kMaxExpanded = 1 << 16;
  if (!empty && elements > std::max(tensor.storage->elements, kMaxExpanded)) fail("a tensor claims more elements than its storage has");
  if (!empty && last >= tensor.storage->elements) fail("a tensor reaches outside its storage");
  push(Value::tensor(std::move(tensor)));
}

}  // namespace ringlab
