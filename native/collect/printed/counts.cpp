#include "collect/printed/counts.h"

#include "collect/printed/printed_number.h"

namespace ringlab {

size_t after_spaces(std::string_view line, size_t at) {
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
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

}  // namespace ringlab
