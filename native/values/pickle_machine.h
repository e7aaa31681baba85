// Internal to values/: the pickle machine. Its parts have a file each: the opcodes (pickle_reader.cpp), the stack and the memo
// (pickle_stack.cpp), the few objects it may build (pickle_objects.cpp), and all other objects (pickle_foreign.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "values/pickle.h"

namespace ringlab {

/// Limits on what a small file can expand to: nesting (destructors recurse as deep) and work (values created or copied:
/// about 200 bytes each). Checkpoints stay far below both.
constexpr size_t kMaxPickleDepth = 200;
constexpr size_t kMaxPickleWork = size_t{1} << 20;

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const StorageLoader& load_storage, Foreign foreign) : bytes_(bytes), load_storage_(load_storage), foreign_(foreign) {}
  /// The whole pickle. Throws PickleError, and exceptions of load_storage.
  Value run();
  /// Bytes consumed by run().
  size_t used() const { return at_; }

 private:
  /// An entry of the stack. Arguments with a class or a storage are not a Value; they exist until REDUCE or BINPERSID.
  struct Entry {
    enum class Kind { value, mark, global, storage, arguments };
    Kind kind = Kind::value;
    Value value;
    std::string global;  ///< "module name"
    bool foreign = false;  ///< a value that represents an object of another class, or a global that is an attribute of one
    std::shared_ptr<const Storage> storage;
    std::shared_ptr<std::vector<Entry>> arguments;
    bool is(Value::Kind wanted) const { return kind == Kind::value && value.kind() == wanted; }
  };

  [[noreturn]] void fail(const std::string& what) const;
  void work(size_t amount);

  // pickle_reader.cpp
  void step(unsigned char opcode);
  const char* take(uint64_t count);
  uint64_t little_endian(size_t count);
  std::string line();
  void long_integer(uint64_t count);
  void binary_float();
  void text(uint64_t length);
  void raw_bytes(uint64_t length);

  // pickle_stack.cpp
  void push(Value value);
  void push(Entry::Kind kind);
  Entry pop();
  Entry& top();
  Value pop_value();
  std::vector<Entry> pop_to_mark();
  std::vector<Entry> pop_entries(size_t count);
  void push_tuple(std::vector<Entry> entries);
  void push_dict(Value filled);
  void append(std::vector<Entry> entries);
  void set_items(std::vector<Entry> entries);
  void put_memo(uint64_t key);
  void get_memo(uint64_t key);
  void nest(const Value& container, const Value& element);

  // pickle_objects.cpp
  void global(const std::string& name);
  void reduce();
  void new_object();
  void build();
  Value versions_in(const Value& metadata);
  void persistent_id();
  std::vector<Entry> take_arguments();
  void ordered_dict(const std::vector<Entry>& arguments);
  void rebuild_tensor(const std::vector<Entry>& arguments);
  std::shared_ptr<const Storage> view_of(std::shared_ptr<const Storage> storage, const Entry& view);
  std::vector<int64_t> integers(const Entry& entry);
  [[noreturn]] void refuse(const std::string& global) const;

  // pickle_foreign.cpp
  void attribute(const std::string& function, const std::vector<Entry>& arguments);
  bool foreign_call(const Entry& callee, const std::vector<Entry>& arguments);
  void push_foreign(Value value = Value::dict());
  void set_attributes(const Value& state);
  Value value_of(Entry entry);
  void numpy_scalar(const std::vector<Entry>& arguments);

  std::string_view bytes_;
  const StorageLoader& load_storage_;
  const Foreign foreign_;
  size_t at_ = 0;
  size_t work_ = 0;
  std::vector<Entry> stack_;
  std::unordered_map<uint64_t, Entry> memo_;
  std::unordered_map<const void*, size_t> depths_;  ///< containers that contain containers
};

}  // namespace ringlab
