#include "collect/printed/counts.h"

#include "collect/records/printed_number.h"

namespace ringlab {

size_t after_spaces(std::string_view line, size_t at) {
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
}

size_t after_unit(std::string_view line, size_t at) {
  const size_t begin = after_spaces(line, at);
  if (begin < line.size() && line[begin] == '%') return begin + 1;
  size_t end = begin;
  while (end < line.size() && ((line[end] >= 'a' && line[end] <= 'z') || line[end] == '/')) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  const bool rate = word.size() > 2 && (word.substr(word.size() - 2) == "/s" || (word.size() > 4 && word.substr(word.size() - 4) == "/sec"));
  if (!rate && word != "s" && word != "ms" && word != "sec" && word != "secs" && word != "seconds") return at;
  const size_t next = after_spaces(line, end);
  return next < line.size() && (line[next] == ':' || line[next] == '=') ? at : end;
}

std::optional<BracketCounts> bracket_counts(std::string_view line, size_t at) {
  BracketCounts found;
  // A number and the spaces around it; false without one.
  const auto number = [&](double& value) {
    at = after_spaces(line, at);
    const size_t length = whole_number_at(line.substr(at), value);
    at = after_spaces(line, at + length);
    return length > 0;
  };
  const auto is_at = [&](char c) { return at < line.size() && line[at] == c; };
  if (!number(found.first.at)) return std::nullopt;
  if (is_at('/')) {
    ++at;
    double of = 0;
    if (!number(of)) return std::nullopt;
    found.first.of = of;
    if (is_at('(')) {
      at = line.find(')', at);
      if (at == std::string_view::npos) return std::nullopt;
      at = after_spaces(line, at + 1);
    }
  } else if (is_at(',')) {
    ++at;
    if (!number(found.second.emplace().at)) return std::nullopt;
  }
  if (!is_at(']')) return std::nullopt;
  found.end = at + 1;
  return found;
}

bool has_total(std::string_view line, size_t at) {
  if (at >= line.size() || line[at] != '[') return false;
  const auto counts = bracket_counts(line, at + 1);
  return counts && counts->first.of;
}

bool is_clock(std::string_view line, size_t at) {
  double ignored = 0;
  const size_t hours = at < line.size() ? whole_number_at(line.substr(at), ignored) : 0;
  return hours > 0 && at + hours + 1 < line.size() && line[at + hours] == ':' && is_digit(line[at + hours + 1]);
}

std::optional<Average> average_at(std::string_view line, size_t at) {
  at = after_spaces(line, at);
  if (at >= line.size() || line[at] != '(') return std::nullopt;
  Average found;
  const size_t begin = after_spaces(line, at + 1);
  const size_t length = begin < line.size() ? number_at(line.substr(begin), found.value) : 0;
  if (length == 0) return std::nullopt;
  size_t end = begin + length;
  while (end < line.size() && (line[end] == '%' || line[end] == ' ' || is_letter(line[end]))) ++end;
  if (end == line.size() || line[end] != ')') return std::nullopt;
  found.end = end + 1;
  return found;
}

}  // namespace ringlab
