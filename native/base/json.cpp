#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ringlab {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  size_t length = 0;
  uint32_t point = 0;
  if (first < 0x80) return 1;
  if ((first & 0xE0) == 0xC0) {
    length = 2;
    point = first & 0x1F;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3;
    point = first & 0x0F;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4;
    point = first & 0x07;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = (point << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 2 && point < 0x80) || (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return 0;
  return length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      out += escape;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return out;
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

void JsonObject::key(std::string_view key) {
  if (!fields_.empty()) fields_ += ',';
  fields_ += json_string(key);
  fields_ += ':';
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
  key(name);
  fields_ += json_string(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  key(name);
  fields_ += json_number(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, int64_t value) {
  key(name);
  fields_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, uint64_t value) {
  key(name);
  fields_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, bool value) {
  key(name);
  fields_ += value ? "true" : "false";
  return *this;
}

JsonObject& JsonObject::add_raw(std::string_view name, std::string_view json) {
  key(name);
  fields_ += json;
  return *this;
}

JsonObject& JsonObject::add_all(const JsonObject& other) {
  if (!fields_.empty() && !other.fields_.empty()) fields_ += ',';
  fields_ += other.fields_;
  return *this;
}

std::string json_array(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (const auto& element : elements) {
    if (out.size() > 1) out += ',';
    out += element;
  }
  return out + "]";
}

}  // namespace ringlab
