// Writes values as a pickle of protocol 2.
#include <cstdint>
#include <cstring>
#include <map>

#include "values/pickle.h"

namespace ringlab {
namespace {

class Writer {
 public:
  Pickled write(const Value& value) {
    out_.bytes += "\x80\x02";  // PROTO 2
    put(value);
    out_.bytes += '.';  // STOP
    return std::move(out_);
  }

 private:
  void byte(int value) { out_.bytes += static_cast<char>(value); }

  void little_endian(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) byte(static_cast<int>((value >> (8 * i)) & 0xFF));
  }

  void integer(int64_t value) {
    if (value >= 0 && value < 256) {
      byte('K');  // BININT1
      little_endian(static_cast<uint64_t>(value), 1);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
      byte('J');  // BININT
      little_endian(static_cast<uint64_t>(value), 4);
    } else {
      byte(0x8A);  // LONG1: two's complement in the fewest bytes with the sign
      int count = 8;
      while (count > 1 && (value >> (8 * count - 9)) == (value < 0 ? -1 : 0)) --count;
      byte(count);
      little_endian(static_cast<uint64_t>(value), count);
    }
  }

  void real(double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    byte('G');  // BINFLOAT, big-endian
    for (int i = 7; i >= 0; --i) byte(static_cast<int>((bits >> (8 * i)) & 0xFF));
  }

  void text(const std::string& value) {
    byte('X');  // BINUNICODE
    little_endian(value.size(), 4);
    out_.bytes += value;
  }

  /// A class or function by name; from the memo when repeated.
  void global(const std::string& module, const std::string& name) {
    const auto [entry, added] = memo_.try_emplace(module + "\n" + name, memo_.size());
    if (added) {
      out_.bytes += "c" + module + "\n" + name + "\n";  // GLOBAL
      byte('r');                                        // LONG_BINPUT
    } else {
      byte('j');  // LONG_BINGET
    }
    little_endian(entry->second, 4);
  }

  void sequence(const List& items, char close) {
    byte('(');  // MARK
    for (const auto& item : items) put(item);
    byte(close);
  }

  void integers(const std::vector<int64_t>& values) {
    byte('(');
    for (const int64_t value : values) integer(value);
    byte('t');  // TUPLE
  }

  void entries(const Items& items) {
    if (items.empty()) return;
    byte('(');
    for (const auto& [key, value] : items) {
      put(key);
      put(value);
    }
    byte('u');  // SETITEMS
  }

  void ordered_dict() {
    global("collections", "OrderedDict");
    out_.bytes += ")R";  // EMPTY_TUPLE REDUCE
  }

  void tensor(const TensorValue& value) {
    const auto [entry, added] = storages_.try_emplace(value.storage.get(), out_.storages.size());
    if (added) out_.storages.push_back(value.storage);
    global("torch._utils", "_rebuild_tensor_v2");
    out_.bytes += "((";
    text("storage");
    global("torch", storage_name(value.storage->dtype));
    text(std::to_string(entry->second));
    text("cpu");
    integer(value.storage->elements);
    out_.bytes += "tQ";  // TUPLE BINPERSID
    integer(value.offset);
    integers(value.sizes);
    integers(value.strides);
    byte(0x89);  // requires_grad: NEWFALSE
    ordered_dict();
    out_.bytes += "tR";
  }

  void put(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::none: byte('N'); break;
      case Value::Kind::boolean: byte(value.as_integer() != 0 ? 0x88 : 0x89); break;
      case Value::Kind::integer: integer(value.as_integer()); break;
      case Value::Kind::real: real(value.as_real()); break;
      case Value::Kind::text: text(value.as_text()); break;
      case Value::Kind::list:
        byte(']');
        if (!value.items().empty()) sequence(value.items(), 'e');  // APPENDS
        break;
      case Value::Kind::tuple: sequence(value.items(), 't'); break;
      case Value::Kind::dict:
        byte('}');
        entries(value.entries());
        break;
      case Value::Kind::ordered_dict:
        ordered_dict();
        entries(value.entries());
        if (value.metadata() != nullptr) {
          byte('}');
          byte('(');
          text("_metadata");
          put(*value.metadata());
          out_.bytes += "ub";  // SETITEMS BUILD
        }
        break;
      case Value::Kind::tensor: tensor(value.as_tensor()); break;
    }
  }

  Pickled out_;
  std::map<std::string, size_t> memo_;
  std::map<const Storage*, size_t> storages_;
};

}  // namespace

Pickled write_pickle(const Value& value) { return Writer().write(value); }

}  // namespace ringlab
