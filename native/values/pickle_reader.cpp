// Reads a pickle: its opcodes, one after the other.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "values/pickle_machine.h"

namespace ringlab {

void PickleMachine::fail(const std::string& what) const { throw PickleError("pickle, byte " + std::to_string(at_) + ": " + what); }

void PickleMachine::work(size_t amount) {
  work_ += amount;
  if (work_ > kMaxPickleWork) fail("it makes too many values");
}

const char* PickleMachine::take(uint64_t count) {
  if (bytes_.size() - at_ < count) fail("it is cut off");
  const char* data = bytes_.data() + at_;
  at_ += count;
  return data;
}

uint64_t PickleMachine::little_endian(size_t count) {
  const char* data = take(count);
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  return value;
}

std::string PickleMachine::line() {
  const size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos || end - at_ > 4096) fail("a name has no end");
  std::string text(bytes_.substr(at_, end - at_));
  at_ = end + 1;
  return text;
}

void PickleMachine::long_integer(uint64_t count) {
  if (count > 8 && foreign_ == Foreign::ignored) {  // for instance in NumPy's generators
    take(count);
    return push(Value());
  }
  if (count > 8) fail("an integer of more than 64 bits");
  uint64_t value = little_endian(count);
  if (count > 0 && count < 8 && ((value >> (8 * count - 1)) & 1) != 0) value |= ~uint64_t{0} << (8 * count);
  push(Value::integer(static_cast<int64_t>(value)));
}

void PickleMachine::binary_float() {
  const char* data = take(8);
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits = (bits << 8) | static_cast<unsigned char>(data[i]);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  push(Value::real(value));
}

void PickleMachine::text(uint64_t length) {
  const char* data = take(length);
  push(Value::text(std::string(data, length)));
}

/// Only those of a NumPy scalar are read, all others are ignored.
void PickleMachine::raw_bytes(uint64_t length) {
  const char* data = take(length);
  push_foreign(Value::text(std::string(data, length)));
}

void PickleMachine::step(unsigned char opcode) {
  switch (opcode) {
    case 0x80: take(1); break;                                // PROTO
    case 0x95: take(8); break;                                // FRAME
    case '(': push(Entry::Kind::mark); break;                 // MARK
    case '0': pop(); break;                                   // POP
    case 'N': push(Value()); break;                           // NONE
    case 0x88: push(Value::boolean(true)); break;             // NEWTRUE
    case 0x89: push(Value::boolean(false)); break;            // NEWFALSE
    case 'K': push(Value::integer(static_cast<int64_t>(little_endian(1)))); break;                         // BININT1
    case 'M': push(Value::integer(static_cast<int64_t>(little_endian(2)))); break;                         // BININT2
    case 'J': push(Value::integer(static_cast<int32_t>(static_cast<uint32_t>(little_endian(4))))); break;  // BININT
    case 0x8A: long_integer(little_endian(1)); break;         // LONG1
    case 0x8B: long_integer(little_endian(4)); break;         // LONG4
    case 'G': binary_float(); break;                          // BINFLOAT
    case 0x8C: text(little_endian(1)); break;                 // SHORT_BINUNICODE
    case 'X': text(little_endian(4)); break;                  // BINUNICODE
    case 0x8D: text(little_endian(8)); break;                 // BINUNICODE8
    case 'U': text(little_endian(1)); break;                  // SHORT_BINSTRING
    case 'T': text(little_endian(4)); break;                  // BINSTRING
    case 'C': raw_bytes(little_endian(1)); break;             // SHORT_BINBYTES
    case 'B': raw_bytes(little_endian(4)); break;             // BINBYTES
    case 0x8E: raw_bytes(little_endian(8)); break;            // BINBYTES8
    case 0x96: raw_bytes(little_endian(8)); break;            // BYTEARRAY8
    case ']': push(Value::list()); break;                     // EMPTY_LIST
    case 'a': append(pop_entries(1)); break;                  // APPEND
    case 'e': append(pop_to_mark()); break;                   // APPENDS
    case ')': push(Value::tuple()); break;                    // EMPTY_TUPLE
    case 't': push_tuple(pop_to_mark()); break;               // TUPLE
    case 0x85: push_tuple(pop_entries(1)); break;             // TUPLE1
    case 0x86: push_tuple(pop_entries(2)); break;             // TUPLE2
    case 0x87: push_tuple(pop_entries(3)); break;             // TUPLE3
    case '}': push(Value::dict()); break;                     // EMPTY_DICT
    case 0x8F: push_foreign(); break;                         // EMPTY_SET
    case 0x90: append(pop_to_mark()); break;                  // ADDITEMS
    case 0x91: pop_to_mark(), push_foreign(); break;          // FROZENSET
    case 's': set_items(pop_entries(2)); break;               // SETITEM
    case 'u': set_items(pop_to_mark()); break;                // SETITEMS
    case 'c': {                                               // GLOBAL
      const std::string module = line();
      global(module + " " + line());
      break;
    }
    case 0x93: {  // STACK_GLOBAL
      const std::string name = pop_value().as_text();
      global(pop_value().as_text() + " " + name);
      break;
    }
    case 'R': reduce(); break;                                // REDUCE
    case 0x81: new_object(); break;                           // NEWOBJ
    case 0x92: pop(), new_object(); break;                    // NEWOBJ_EX, without its named arguments
    case 'b': build(); break;                                 // BUILD
    case 'Q': persistent_id(); break;                         // BINPERSID
    case 'q': put_memo(little_endian(1)); break;              // BINPUT
    case 'r': put_memo(little_endian(4)); break;              // LONG_BINPUT
    case 0x94: put_memo(memo_.size()); break;                 // MEMOIZE
    case 'h': get_memo(little_endian(1)); break;              // BINGET
    case 'j': get_memo(little_endian(4)); break;              // LONG_BINGET
    default: {
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", opcode);
      fail(std::string("opcode ") + code + " is not on the list");
    }
  }
}

Value PickleMachine::run() {
  while (true) {
    const auto opcode = static_cast<unsigned char>(take(1)[0]);
    if (opcode == '.') {  // STOP
      Value value = pop_value();
      if (!stack_.empty()) fail("it does not end with one value");
      return value;
    }
    work(1);
    step(opcode);
  }
}

Value read_pickle(std::string_view bytes, const StorageLoader& load_storage, size_t* used, Foreign foreign) {
  try {
    PickleMachine machine(bytes, load_storage, foreign);
    Value value = machine.run();
    if (used != nullptr) *used = machine.used();
    return value;
  } catch (const PickleError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw PickleError(std::string("pickle: ") + error.what());
  }
}

}  // namespace ringlab
