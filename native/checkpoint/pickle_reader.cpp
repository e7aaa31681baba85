#include <cstring>
#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "checkpoint/pickle.h"

namespace ringlab {
namespace {

constexpr size_t kMaxDepth = 200;
constexpr size_t kMaxValues = size_t{1} << 24;

/// What lies on the pickle machine's stack: a value, a mark, or the name of something callable.
struct Entry {
  enum class Kind { value, mark, global, storage };
  Kind kind = Kind::value;
  Value value;
  std::string global;  ///< "module name"
  std::shared_ptr<const Storage> storage;
};

bool allowed(const std::string& global) {
  if (global == "collections OrderedDict" || global == "torch._utils _rebuild_tensor_v2" || global == "torch._utils _rebuild_parameter") return true;
  DType dtype{};
  return global.rfind("torch ", 0) == 0 && dtype_of_storage(global.substr(6), dtype);
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += c >= 32 && c < 127 ? c : '?';
  return out;
}

class Reader {
 public:
  Reader(const std::string& bytes, const StorageLoader& load_storage) : bytes_(bytes), load_storage_(load_storage) {}

  Value read() {
    while (true) {
      const auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.') {
        Entry entry = pop();
        if (entry.kind != Entry::Kind::value || !stack_.empty()) fail("it does not end with one value");
        return entry.value;
      }
      step(opcode);
      if (++steps_ > kMaxValues) fail("it is too long");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw PickleError("pickle, byte " + std::to_string(at_) + ": " + what); }

  const char* take(size_t count) {
    if (bytes_.size() - at_ < count) fail("it is cut off");
    const char* data = bytes_.data() + at_;
    at_ += count;
    return data;
  }

  uint64_t little_endian(size_t count) {
    const char* data = take(count);
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
    return value;
  }

  std::string line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos || end - at_ > 4096) fail("a name has no end");
    std::string text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  Entry pop() {
    if (stack_.empty()) fail("its stack is empty");
    Entry entry = std::move(stack_.back());
    stack_.pop_back();
    return entry;
  }

  Entry& top() {
    if (stack_.empty()) fail("its stack is empty");
    return stack_.back();
  }

  void push(Value value) {
    depths_.erase(value.identity());  // a freed container may have stood at this address
    Entry entry;
    entry.value = std::move(value);
    stack_.push_back(std::move(entry));
  }

  Value pop_value() {
    Entry entry = pop();
    if (entry.kind != Entry::Kind::value) fail("a value was expected");
    return std::move(entry.value);
  }

  /// Nesting is counted a container: a destructor recurses as deep as the values go.
  void nest(const Value& container, const Value& element) {
    const void* inner = element.identity();
    if (inner == nullptr) return;
    const auto found = depths_.find(inner);
    const size_t below = found == depths_.end() ? 1 : found->second;
    size_t& depth = depths_[container.identity()];
    depth = std::max(depth, below + 1);
    if (depth > kMaxDepth) fail("its values are nested too deeply");
  }

  /// Everything above the last mark, which goes too. Storages and globals are kept as entries.
  std::vector<Entry> pop_to_mark() {
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1].kind != Entry::Kind::mark) --mark;
    if (mark == 0) fail("a mark is missing");
    std::vector<Entry> entries(std::make_move_iterator(stack_.begin() + static_cast<std::ptrdiff_t>(mark)), std::make_move_iterator(stack_.end()));
    stack_.resize(mark - 1);
    return entries;
  }

  void push_tuple(std::vector<Entry> entries) {
    // A tuple may hold a storage or its class (the arguments of a rebuild): those tuples live beside the values.
    List items;
    bool special = false;
    for (auto& entry : entries) {
      if (entry.kind == Entry::Kind::mark) fail("a mark inside a tuple");
      special = special || entry.kind != Entry::Kind::value;
    }
    if (special) {
      if (!pending_.empty()) fail("constructor arguments inside constructor arguments");
      pending_ = std::move(entries);
      Entry marker;
      marker.kind = Entry::Kind::storage;  // an argument tuple: only REDUCE and BINPERSID take it
      marker.global = "arguments";
      stack_.push_back(std::move(marker));
      return;
    }
    for (auto& entry : entries) items.push_back(std::move(entry.value));
    push(Value::tuple(std::move(items)));
    const Value& tuple = stack_.back().value;
    for (const auto& item : tuple.items()) nest(tuple, item);
  }

  std::vector<Entry> take_arguments() {
    Entry entry = pop();
    std::vector<Entry> arguments;
    if (entry.kind == Entry::Kind::storage && entry.global == "arguments") {
      arguments = std::move(pending_);
      pending_.clear();
    } else if (entry.kind == Entry::Kind::value && entry.value.kind() == Value::Kind::tuple) {
      for (const auto& item : entry.value.items()) {
        Entry argument;
        argument.value = item;
        arguments.push_back(std::move(argument));
      }
    } else {
      fail("constructor arguments are not a tuple");
    }
    return arguments;
  }

  void put_memo(uint64_t key) {
    const Entry& entry = top();
    // A tuple of arguments is never asked for again; torch.save memoises it all the same.
    if (entry.kind == Entry::Kind::mark) fail("a mark cannot be memoised");
    if (memo_.size() > kMaxValues) fail("its memo is too large");
    memo_[key] = entry;
  }

  void get_memo(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("it asks for a value that it never stored");
    if (found->second.kind == Entry::Kind::storage && found->second.global == "arguments") fail("constructor arguments cannot be used twice");
    Entry entry = found->second;
    // A copy, so that no container can come to hold itself; what it costs is counted.
    if (entry.value.is_sequence()) steps_ += entry.value.items().size();
    if (entry.value.is_dict()) steps_ += entry.value.entries().size();
    if (entry.value.kind() == Value::Kind::list || entry.value.is_dict()) {
      const auto depth = depths_.find(entry.value.identity());
      const size_t nested = depth == depths_.end() ? 1 : depth->second;
      entry.value = entry.value.shallow_copy();
      depths_[entry.value.identity()] = nested;
    }
    stack_.push_back(std::move(entry));
  }

  /// persistent_load: ('storage', class, key, location, elements).
  void persistent_id() {
    auto id = take_arguments();
    if (id.size() != 5 || id[0].value.kind() != Value::Kind::text || id[0].value.as_text() != "storage" || id[1].kind != Entry::Kind::global ||
        id[2].value.kind() != Value::Kind::text || id[4].value.kind() != Value::Kind::integer) {
      fail("a persistent id that is not a storage");
    }
    DType dtype{};
    if (id[1].global.rfind("torch ", 0) != 0 || !dtype_of_storage(id[1].global.substr(6), dtype)) fail("a storage of an unknown type");
    const int64_t elements = id[4].value.as_integer();
    if (elements < 0) fail("a storage of negative size");
    Entry entry;
    entry.kind = Entry::Kind::storage;
    entry.storage = load_storage_(id[2].value.as_text(), dtype, elements);
    stack_.push_back(std::move(entry));
  }

  std::vector<int64_t> integers(const Entry& entry) {
    if (entry.kind != Entry::Kind::value || !entry.value.is_sequence()) fail("a tensor's shape is not a tuple");
    std::vector<int64_t> values;
    for (const auto& item : entry.value.items()) {
      if (item.kind() != Value::Kind::integer || item.as_integer() < 0) fail("a tensor's shape holds something that is not a size");
      values.push_back(item.as_integer());
    }
    if (values.size() > 16) fail("a tensor of more than 16 dimensions");
    return values;
  }

  void rebuild_tensor(const std::vector<Entry>& arguments) {
    if (arguments.size() < 4 || arguments[0].kind != Entry::Kind::storage || !arguments[0].storage || arguments[1].value.kind() != Value::Kind::integer) {
      fail("a tensor's arguments are wrong");
    }
    TensorValue tensor{arguments[0].storage, arguments[1].value.as_integer(), integers(arguments[2]), integers(arguments[3])};
    if (tensor.sizes.size() != tensor.strides.size() || tensor.offset < 0) fail("a tensor's shape is wrong");
    bool empty = false;
    for (const int64_t size : tensor.sizes) empty = empty || size == 0;
    int64_t last = tensor.offset;
    for (size_t i = 0; i < tensor.sizes.size() && !empty; ++i) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(tensor.sizes[i] - 1, tensor.strides[i], &reach) || __builtin_add_overflow(last, reach, &last)) fail("a tensor's shape overflows");
    }
    if (!empty && last >= tensor.storage->elements) fail("a tensor reaches outside its storage");
    push(Value::tensor(std::move(tensor)));
  }

  void reduce() {
    auto arguments = take_arguments();
    const Entry callee = pop();
    if (callee.kind != Entry::Kind::global) fail("it calls something that has no name");
    if (callee.global == "collections OrderedDict") {
      if (arguments.empty()) return push(Value::ordered_dict());
      if (arguments.size() != 1 || !arguments[0].value.is_sequence()) fail("an OrderedDict of something else than pairs");
      Items items;
      for (const auto& pair : arguments[0].value.items()) {
        if (!pair.is_sequence() || pair.items().size() != 2) fail("an OrderedDict of something else than pairs");
        items.emplace_back(pair.items()[0], pair.items()[1]);
      }
      push(Value::ordered_dict(std::move(items)));
      const Value& dict = stack_.back().value;
      for (const auto& [key, value] : dict.entries()) nest(dict, value);
      return;
    }
    if (callee.global == "torch._utils _rebuild_tensor_v2") return rebuild_tensor(arguments);
    if (callee.global == "torch._utils _rebuild_parameter") {
      if (arguments.empty() || arguments[0].kind != Entry::Kind::value || arguments[0].value.kind() != Value::Kind::tensor) fail("a parameter without a tensor");
      return push(arguments[0].value);
    }
    fail("it calls " + printable(callee.global));
  }

  void set_items(std::vector<Entry> entries) {
    if (entries.size() % 2 != 0) fail("a key without a value");
    Entry& target = top();
    if (target.kind != Entry::Kind::value || !target.value.is_dict()) fail("items for something that is no dict");
    for (size_t i = 0; i < entries.size(); i += 2) {
      if (entries[i].kind != Entry::Kind::value || entries[i + 1].kind != Entry::Kind::value) fail("a dict holds something that is no value");
      nest(target.value, entries[i].value);
      nest(target.value, entries[i + 1].value);
      target.value.entries().emplace_back(std::move(entries[i].value), std::move(entries[i + 1].value));
    }
  }

  void append(std::vector<Entry> entries) {
    Entry& target = top();
    if (target.kind != Entry::Kind::value || target.value.kind() != Value::Kind::list) fail("elements for something that is no list");
    for (auto& entry : entries) {
      if (entry.kind != Entry::Kind::value) fail("a list holds something that is no value");
      nest(target.value, entry.value);
      target.value.items().push_back(std::move(entry.value));
    }
  }

  std::vector<Entry> pop_entries(size_t count) {
    std::vector<Entry> entries(count);
    for (size_t i = count; i-- > 0;) entries[i] = pop();
    return entries;
  }

  /// BUILD sets attributes of an object; state_dict() hangs `_metadata` on its OrderedDict, which nobody needs.
  void build() {
    const Value state = pop_value();
    if (!state.is_dict() || top().kind != Entry::Kind::value || top().value.kind() != Value::Kind::ordered_dict) fail("it sets attributes of an object");
  }

  void long_integer(size_t count) {
    if (count > 8) fail("an integer of more than 64 bits");
    uint64_t value = little_endian(count);
    if (count > 0 && count < 8 && ((value >> (8 * count - 1)) & 1) != 0) value |= ~uint64_t{0} << (8 * count);
    push(Value::integer(static_cast<int64_t>(value)));
  }

  void binary_float() {
    const char* data = take(8);
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = (bits << 8) | static_cast<unsigned char>(data[i]);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    push(Value::real(value));
  }

  void text(size_t length) {
    const char* data = take(length);
    push(Value::text(std::string(data, length)));
  }

  void global(const std::string& name) {
    if (!allowed(name)) fail("it wants to call " + printable(name) + ", which a checkpoint has no need of: refused");
    Entry entry;
    entry.kind = Entry::Kind::global;
    entry.global = name;
    stack_.push_back(std::move(entry));
  }

  void step(unsigned char opcode);

  const std::string& bytes_;
  const StorageLoader& load_storage_;
  size_t at_ = 0;
  size_t steps_ = 0;
  std::vector<Entry> stack_;
  std::vector<Entry> pending_;  ///< the one tuple of constructor arguments that is on the stack now
  std::unordered_map<uint64_t, Entry> memo_;
  std::unordered_map<const void*, size_t> depths_;  ///< containers that hold containers
};

void Reader::step(unsigned char opcode) {
  switch (opcode) {
    case 0x80: take(1); break;                                             // PROTO
    case 0x95: take(8); break;                                             // FRAME
    case '(': stack_.emplace_back().kind = Entry::Kind::mark; break;       // MARK
    case '0': pop(); break;                                                // POP
    case 'N': push(Value()); break;                                        // NONE
    case 0x88: push(Value::boolean(true)); break;                          // NEWTRUE
    case 0x89: push(Value::boolean(false)); break;                         // NEWFALSE
    case 'K': push(Value::integer(static_cast<int64_t>(little_endian(1)))); break;                           // BININT1
    case 'M': push(Value::integer(static_cast<int64_t>(little_endian(2)))); break;                           // BININT2
    case 'J': push(Value::integer(static_cast<int32_t>(static_cast<uint32_t>(little_endian(4))))); break;    // BININT
    case 0x8A: long_integer(little_endian(1)); break;                      // LONG1
    case 'G': binary_float(); break;                                       // BINFLOAT
    case 'X': text(little_endian(4)); break;                               // BINUNICODE
    case 0x8C: text(little_endian(1)); break;                              // SHORT_BINUNICODE
    case 'U': text(little_endian(1)); break;                               // SHORT_BINSTRING
    case 'T': text(little_endian(4)); break;                               // BINSTRING
    case ']': push(Value::list()); break;                                  // EMPTY_LIST
    case 'a': append(pop_entries(1)); break;                               // APPEND
    case 'e': append(pop_to_mark()); break;                                // APPENDS
    case ')': push(Value::tuple()); break;                                 // EMPTY_TUPLE
    case 't': push_tuple(pop_to_mark()); break;                            // TUPLE
    case 0x85: push_tuple(pop_entries(1)); break;                          // TUPLE1
    case 0x86: push_tuple(pop_entries(2)); break;                          // TUPLE2
    case 0x87: push_tuple(pop_entries(3)); break;                          // TUPLE3
    case '}': push(Value::dict()); break;                                  // EMPTY_DICT
    case 's': set_items(pop_entries(2)); break;                            // SETITEM
    case 'u': set_items(pop_to_mark()); break;                             // SETITEMS
    case 'c': {                                                            // GLOBAL
      const std::string module = line();
      global(module + " " + line());
      break;
    }
    case 0x93: {  // STACK_GLOBAL
      const std::string name = pop_value().as_text();
      global(pop_value().as_text() + " " + name);
      break;
    }
    case 'R': reduce(); break;                                             // REDUCE
    case 'b': build(); break;                                              // BUILD
    case 'Q': persistent_id(); break;                                      // BINPERSID
    case 'q': put_memo(little_endian(1)); break;                           // BINPUT
    case 'r': put_memo(little_endian(4)); break;                           // LONG_BINPUT
    case 0x94: put_memo(memo_.size()); break;                              // MEMOIZE
    case 'h': get_memo(little_endian(1)); break;                           // BINGET
    case 'j': get_memo(little_endian(4)); break;                           // LONG_BINGET
    default: {
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", opcode);
      fail(std::string("opcode ") + code + " is not on the list");
    }
  }
}

}  // namespace

Value read_pickle(const std::string& bytes, const StorageLoader& load_storage) {
  try {
    return Reader(bytes, load_storage).read();
  } catch (const PickleError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw PickleError(std::string("pickle: ") + error.what());
  }
}

}  // namespace ringlab
