#include "values/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"

namespace ringlab {
namespace {

constexpr uint64_t kMaxHeader = 100000000;  ///< the format's own limit
constexpr uint64_t kMaxReadBytes = uint64_t{16} << 20;
constexpr size_t kMaxDimensions = 16;

[[noreturn]] void refuse(const std::string& what) { throw FileError("safetensors: " + what); }

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::optional<std::pair<uint64_t, uint64_t>> place;  ///< begin and end, relative to the end of the header
};

/// The header's JSON: objects, strings, and arrays of integers; nothing else is valid there.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  std::vector<Entry> entries() {
    std::vector<Entry> all;
    std::set<std::string> names;
    object([&](const std::string& name) {
      if (!names.insert(name).second) refuse("its header names " + name.substr(0, 80) + " twice");
      if (name == "__metadata__") {
        object([&](const std::string&) { string(); });
        return;
      }
      all.push_back(entry(name));
    });
    space();
    if (at_ != text_.size()) refuse("its header has data behind its end");
    return all;
  }

 private:
  Entry entry(const std::string& name) {
    Entry one;
    one.name = name;
    bool shaped = false;
    object([&](const std::string& key) {
      if (key == "dtype") {
        one.dtype = string();
      } else if (key == "shape") {
        shaped = true;
        for (const uint64_t size : numbers(kMaxDimensions)) {
          if (size > INT64_MAX) refuse(name.substr(0, 80) + " has a size that nothing has");
          one.shape.push_back(static_cast<int64_t>(size));
        }
      } else if (key == "data_offsets") {
        const auto ends = numbers(2);
        if (ends.size() != 2) refuse(name.substr(0, 80) + " has no two offsets");
        one.place = {ends[0], ends[1]};
      } else {
        refuse(name.substr(0, 80) + " has an entry '" + key.substr(0, 80) + "', which the format does not know");
      }
    });
    if (one.dtype.empty() || !shaped || !one.place) refuse(name.substr(0, 80) + " lacks its dtype, shape or offsets");
    return one;
  }

  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(char wanted) {
    space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) refuse("its header is no JSON: '" + std::string(1, wanted) + "' is missing at byte " + std::to_string(at_));
  }

  template <typename Each>
  void object(Each each) {
    need('{');
    if (take('}')) return;
    do {
      space();
      const std::string key = string();
      need(':');
      each(key);
    } while (take(','));
    need('}');
  }

  std::vector<uint64_t> numbers(size_t maximum) {
    std::vector<uint64_t> all;
    need('[');
    if (take(']')) return all;
    do {
      space();
      if (at_ == text_.size() || text_[at_] < '0' || text_[at_] > '9') refuse("its header has no whole number at byte " + std::to_string(at_));
      std::optional<uint64_t> number = 0;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        number = number ? checked_multiply<uint64_t>(*number, 10) : std::nullopt;
        number = number ? checked_add<uint64_t>(*number, static_cast<uint64_t>(text_[at_] - '0')) : std::nullopt;
      }
      if (!number) refuse("its header has a number that fits nowhere");
      if (all.size() == maximum) refuse("its header has a list that is too long");
      all.push_back(*number);
    } while (take(','));
    need(']');
    return all;
  }

  uint32_t four_digits() {
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      const char* digits = "0123456789abcdef";
      const char* found = std::strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
      if (c == '\0' || found == nullptr) refuse("its header has a broken escape");
      number = number * 16 + static_cast<uint32_t>(found - digits);
    }
    return number;
  }

  static void append_utf8(std::string& out, uint32_t point) {
    const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | point >> 6);
      rest(0);
    } else if (point < 0x10000) {
      out += static_cast<char>(0xE0 | point >> 12);
      rest(6);
      rest(0);
    } else {
      out += static_cast<char>(0xF0 | point >> 18);
      rest(12);
      rest(6);
      rest(0);
    }
  }

  std::string string() {
    need('"');
    std::string out;
    while (true) {
      if (at_ == text_.size()) refuse("its header ends within a name");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) refuse("its header has a control character in a name");
      if (c != '\\') {
        out += c;
        continue;
      }
      const char kind = at_ < text_.size() ? text_[at_++] : ' ';
      const std::string_view from = "\"\\/bfnrt";
      const size_t which = from.find(kind);
      if (which != std::string_view::npos) {
        out += "\"\\/\b\f\n\r\t"[which];
      } else if (kind == 'u') {
        uint32_t point = four_digits();
        if (point >= 0xD800 && point < 0xDC00 && at_ + 1 < text_.size() && text_[at_] == '\\' && text_[at_ + 1] == 'u') {
          at_ += 2;
          const uint32_t low = four_digits();
          if (low < 0xDC00 || low > 0xDFFF) refuse("its header has half a character");
          point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        } else if (point >= 0xD800 && point < 0xE000) {
          refuse("its header has half a character");
        }
        append_utf8(out, point);
      } else {
        refuse("its header has a broken escape");
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

DType dtype_of(const Entry& entry) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {{"F32", DType::float32}, {"F64", DType::float64}, {"F16", DType::float16}, {"BF16", DType::bfloat16}, {"I64", DType::int64},
                                                           {"I32", DType::int32},   {"I16", DType::int16},   {"I8", DType::int8},     {"U8", DType::uint8},      {"BOOL", DType::boolean}};
  for (const auto& [name, type] : kTypes) {
    if (name == entry.dtype) return type;
  }
  refuse(entry.name.substr(0, 80) + " is of the type " + entry.dtype.substr(0, 20) + ", which no weights here are of");
}

}  // namespace

bool is_safetensors(const FileBytes& file) { return file.size >= 10 && file.data[8] == '{' && read_little_endian(file.data, 8) <= kMaxHeader; }

Value read_safetensors(const FileBytes& file) {
  const uint64_t length = read_little_endian(file.data, 8);
  if (!lies_within(8, length, file.size)) refuse("its header ends behind the file: it is cut off");
  if (length > kMaxReadBytes) refuse("its header is larger than that of any weights");
  std::vector<Entry> entries = Header({reinterpret_cast<const char*>(file.data) + 8, static_cast<size_t>(length)}).entries();
  const uint8_t* data = file.data + 8 + length;
  const uint64_t size = file.size - 8 - length;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return *a.place < *b.place; });
  Value all = Value::ordered_dict();
  uint64_t end = 0;
  for (const Entry& entry : entries) {
    const std::string name = entry.name.substr(0, 80);
    const DType dtype = dtype_of(entry);
    std::optional<int64_t> elements = 1;
    for (const int64_t edge : entry.shape) elements = elements ? checked_multiply<int64_t>(*elements, edge) : std::nullopt;
    const auto bytes = elements ? checked_multiply<uint64_t>(static_cast<uint64_t>(*elements), item_size(dtype)) : std::nullopt;
    if (entry.place->first != end || entry.place->second < end || entry.place->second > size) refuse(name + " does not lie where the tensor before it ends");
    if (!bytes || *bytes != entry.place->second - end) refuse(name + " is not as large as its shape says");
    auto storage = std::make_shared<Storage>();
    storage->dtype = dtype;
    storage->elements = *elements;
    storage->data = data + end;
    storage->owner = file.owner;
    if (reinterpret_cast<uintptr_t>(storage->data) % item_size(dtype) != 0) {
      const auto copy = std::make_shared<std::vector<uint64_t>>(static_cast<size_t>(*bytes / 8 + 1));
      std::memcpy(copy->data(), storage->data, static_cast<size_t>(*bytes));
      storage->data = reinterpret_cast<const uint8_t*>(copy->data());
      storage->owner = copy;
    }
    end = entry.place->second;
    std::vector<int64_t> strides(entry.shape.size(), 1);
    for (size_t d = entry.shape.size(); d-- > 1;) {
      const auto stride = checked_multiply<int64_t>(strides[d], std::max<int64_t>(entry.shape[d], 1));
      if (!stride) refuse(name + " has a shape whose strides are too large");
      strides[d - 1] = *stride;
    }
    all.set(entry.name, Value::tensor({std::move(storage), 0, entry.shape, std::move(strides)}));
  }
  if (end != size) refuse("has " + std::to_string(size - end) + " bytes that belong to no tensor");
  return all;
}

}  // namespace ringlab
