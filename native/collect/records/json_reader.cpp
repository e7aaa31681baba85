#include "collect/records/json_reader.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "base/json.h"

namespace ringlab {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxValues = 20000;

void append_utf8(std::string& out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

/// Every method returns false where the text is not what it should be.
class Parser {
 public:
  Parser(std::string_view text, bool python) : text_(text), python_(python) {}

  bool whole(JsonValue& out) {
    if (!value(out, 0)) return false;
    space();
    return at_ == text_.size();
  }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  bool take(char wanted) {
    space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    const size_t end = at_ + word.size();
    if (end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }
  bool is_quote(char c) const { return c == '"' || (python_ && c == '\''); }

  bool value(JsonValue& out, int depth) {
    space();
    if (at_ == text_.size() || depth > kMaxDepth || ++values_ > kMaxValues) return false;
    const char c = text_[at_];
    if (c == '{') return object(out, depth);
    if (c == '[') return array(out, depth);
    if (is_quote(c)) {
      out.kind = JsonValue::Kind::text;
      return string(out.text);
    }
    return word(out) || number(out) || (python_ && call(out));
  }

  bool word(JsonValue& out) {
    for (const bool truth : {true, false}) {
      if (take_word(python_ ? (truth ? "True" : "False") : (truth ? "true" : "false"))) {
        out.kind = JsonValue::Kind::boolean;
        out.boolean = truth;
        return true;
      }
    }
    if (take_word(python_ ? "None" : "null")) return true;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto is = [&](double number) {
      out.kind = JsonValue::Kind::number;
      out.number = number;
      return true;
    };
    if (take_word(python_ ? "nan" : "NaN")) return is(std::numeric_limits<double>::quiet_NaN());
    if (take_word(python_ ? "inf" : "Infinity")) return is(kInfinity);
    if (take_word(python_ ? "-inf" : "-Infinity")) return is(-kInfinity);
    return false;
  }

  bool number(JsonValue& out) {
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    // from_chars would take "inf" and "nan", too.
    const char* digit = *first == '-' ? first + 1 : first;
    if (digit == last || *digit < '0' || *digit > '9') return false;
    const auto result = std::from_chars(first, last, out.number);
    if (result.ec != std::errc() || (result.ptr != last && is_word(*result.ptr))) return false;
    out.kind = JsonValue::Kind::number;
    at_ = static_cast<size_t>(result.ptr - text_.data());
    return true;
  }

  /// np.float64(0.5), tensor(0.5, device='cuda:0'): the first argument.
  bool call(JsonValue& out) {
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start || !take('(')) return false;
    space();
    if (at_ == text_.size() || !(word(out) || number(out)) || out.kind != JsonValue::Kind::number) return false;
    const size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) return false;
    at_ = end + 1;
    return true;
  }

  bool hex(uint32_t& point) {
    if (text_.size() - at_ < 4) return false;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, point, 16);
    if (result.ec != std::errc() || result.ptr != text_.data() + at_ + 4) return false;
    at_ += 4;
    return true;
  }

  bool escape(std::string& out) {
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    switch (c) {
      case 'n': out += '\n'; return true;
      case 't': out += '\t'; return true;
      case 'r': out += '\r'; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'u': break;
      default: out += c; return python_ || c == '"' || c == '\\' || c == '/';
    }
    uint32_t point = 0;
    if (!hex(point)) return false;
    if (point >= 0xD800 && point <= 0xDBFF && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      uint32_t low = 0;
      if (!hex(low)) return false;
      point = low >= 0xDC00 && low <= 0xDFFF ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
    }
    append_utf8(out, point >= 0xD800 && point <= 0xDFFF ? 0xFFFD : point);
    return true;
  }

  bool string(std::string& out) {
    const char quote = text_[at_++];
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return true;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return false;
      }
    }
    return false;
  }

  bool object(JsonValue& out, int depth) {
    ++at_;
    out.kind = JsonValue::Kind::object;
    if (take('}')) return true;
    do {
      space();
      if (at_ < text_.size() && python_ && text_[at_] == '}') break;  // {'a': 1,}
      if (at_ == text_.size() || !is_quote(text_[at_])) return false;
      auto& [name, member] = out.members.emplace_back();
      if (!string(name) || !take(':') || !value(member, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool array(JsonValue& out, int depth) {
    ++at_;
    out.kind = JsonValue::Kind::array;
    if (take(']')) return true;
    do {
      if (!value(out.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  std::string_view text_;
  bool python_;
  size_t at_ = 0;
  int values_ = 0;
};

std::optional<JsonValue> parsed(std::string_view text, bool python) {
  JsonValue value;
  if (!Parser(text, python).whole(value)) return std::nullopt;
  return value;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->first == name) return &member->second;
  }
  return nullptr;
}

std::optional<JsonValue> read_json(std::string_view text) { return parsed(text, false); }
std::optional<JsonValue> read_python(std::string_view text) { return parsed(text, true); }

std::optional<double> metric_number(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::number) return value.number;
  if (value.kind != JsonValue::Kind::text) return std::nullopt;
  if (value.text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value.text == "Infinity") return std::numeric_limits<double>::infinity();
  if (value.text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string json_text(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null: return "null";
    case JsonValue::Kind::boolean: return value.boolean ? "true" : "false";
    case JsonValue::Kind::number: return json_number(value.number);
    case JsonValue::Kind::text: return json_string(value.text);
    case JsonValue::Kind::array: {
      std::vector<std::string> items;
      for (const auto& item : value.items) items.push_back(json_text(item));
      return json_array(items);
    }
    case JsonValue::Kind::object: {
      JsonObject object;
      for (const auto& [name, member] : value.members) object.add_raw(name, json_text(member));
      return object.str();
    }
  }
  return "null";
}

std::optional<double> number_of_member(const JsonValue& object, const char* name) {
  const JsonValue* member = object.find(name);
  return member != nullptr ? metric_number(*member) : std::nullopt;
}

}  // namespace ringlab
