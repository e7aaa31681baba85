#include "collect/printed/plain_line.h"

#include <cstdint>

namespace ringlab {
namespace {

/// The end of the escape sequence that starts at `at`: CSI (ESC [ … letter), OSC (ESC ] … BEL or ESC \), or two bytes.
size_t after_escape(std::string_view line, size_t at) {
  if (at + 1 >= line.size()) return line.size();
  const char kind = line[at + 1];
  if (kind == '[') {
    size_t end = at + 2;
    while (end < line.size() && (line[end] < 0x40 || line[end] > 0x7E)) ++end;
    return end < line.size() ? end + 1 : end;
  }
  if (kind == ']') {
    for (size_t end = at + 2; end < line.size(); ++end) {
      if (line[end] == '\a') return end + 1;
      if (line[end] == '\x1b') return end + 2 < line.size() ? end + 2 : line.size();
    }
    return line.size();
  }
  return at + 2;
}

/// A character beyond ASCII as what it means in a printed line: itself (0) or ASCII.
char as_ascii(uint32_t point) {
  if (point >= 0xFF01 && point <= 0xFF5E) return static_cast<char>(point - 0xFF00 + 0x20);  // full width
  if (point == 0x3000 || point == 0x00A0) return ' ';
  if (point == 0x2212) return '-';
  if ((point >= 0x2000 && point <= 0x2BFF) || (point >= 0x3001 && point <= 0x303F) || (point >= 0xE000 && point <= 0xF8FF) || point >= 0x1F000) return '|';
  return 0;
}

}  // namespace

void without_escapes(std::string_view line, std::string& out) {
  out.clear();
  for (size_t at = 0; at < line.size();) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == 0x1B) {
      at = after_escape(line, at);
      continue;
    }
    if ((byte >= 0x20 && byte != 0x7F) || byte == '\t') out += line[at];
    ++at;
  }
}

void plain_line(std::string_view line, std::string& out) {
  out.clear();
  size_t at = 0;
  while (at < line.size() && out.size() < kMaxPrintedLine) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == 0x1B) {
      at = after_escape(line, at);
    } else if (byte == '\t') {
      out += "  ";
      ++at;
    } else if (byte < 0x20 || byte == 0x7F) {
      ++at;
    } else if (byte < 0x80) {
      out += static_cast<char>(byte);
      ++at;
    } else {
      const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
      if (length == 1 || at + length > line.size()) {
        out += '|';
        ++at;
        continue;
      }
      uint32_t point = byte & (0xFFU >> (length + 1));
      for (size_t i = 1; i < length; ++i) point = (point << 6) | (static_cast<unsigned char>(line[at + i]) & 0x3FU);
      const char ascii = as_ascii(point);
      if (ascii != 0) {
        out += ascii;
      } else {
        out.append(line.substr(at, length));
      }
      at += length;
    }
  }
}

}  // namespace ringlab
