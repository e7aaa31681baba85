#include "collect/printed/chinese_words.h"

#include <algorithm>
#include <utility>

#include "collect/printed/counts.h"
#include "collect/records/phases.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

bool begins(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }
bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

constexpr std::string_view kMetrics[] = {"损失", "准确率", "正确率", "精确率", "召回率", "精度", "困惑度", "奖励"};
constexpr std::string_view kSettings[] = {"函数", "权重", "系数", "阈值"};

}  // namespace

std::optional<Ordinal> chinese_ordinal(std::string_view line, size_t at) {
  constexpr std::string_view kOrdinal = "第";
  if (!begins(line.substr(at), kOrdinal)) return std::nullopt;
  Ordinal found;
  at = after_spaces(line, at + kOrdinal.size());
  const size_t length = at < line.size() ? whole_number_at(line.substr(at), found.at) : 0;
  if (length == 0) return std::nullopt;
  at = after_spaces(line, at + length);
  if (at < line.size() && line[at] == '/') {
    double of = 0;
    const size_t begin = after_spaces(line, at + 1);
    const size_t digits = begin < line.size() ? whole_number_at(line.substr(begin), of) : 0;
    if (digits == 0) return std::nullopt;
    found.of = of;
    at = after_spaces(line, begin + digits);
  }
  constexpr std::string_view kPiece = "个";
  if (begins(line.substr(std::min(at, line.size())), kPiece)) at = after_spaces(line, at + kPiece.size());
  const std::string_view unit = line.substr(std::min(at, line.size()));
  for (const auto& [word, marker] : {std::pair{std::string_view("轮"), Marker::epoch}, {"epoch", Marker::epoch}, {"Epoch", Marker::epoch}, {"步", Marker::step}, {"次迭代", Marker::step}, {"step", Marker::step}}) {
    if (!begins(unit, word)) continue;
    found.marker = marker;
    found.end = at + word.size();
    return found;
  }
  return std::nullopt;
}

size_t chinese_is(std::string_view line, size_t at) {
  const std::string_view here = line.substr(at);
  if (!begins(here, "为") && !begins(here, "是")) return 0;
  const size_t next = after_spaces(line, at + 3);
  return next < line.size() && number_begins(line, next) ? 3 : 0;
}

bool is_value_behind(std::string_view word, std::string_view line, size_t at) {
  if (word.empty() || !is_beyond_ascii(word.back()) || !is_chinese_metric(word)) return false;
  double ignored = 0;
  const size_t end = after_spaces(line, at + number_at(line.substr(at), ignored));
  if (end >= line.size()) return true;
  return line[end] != ':' && line[end] != '=' && line[end] != '/' && (line[end - 1] == ' ' || !is_letter(line[end]));
}

ChineseName chinese_name(std::string_view word) {
  ChineseName name{{}, word};
  for (const auto& [text, phase] : kChinesePhases) {
    const size_t at = word.find(text);
    if (at == std::string_view::npos) continue;
    name.phase = phase;
    name.metric = word.substr(at + text.size());
    if (begins(name.metric, "集")) name.metric.remove_prefix(3);
    if (begins(name.metric, "上")) name.metric.remove_prefix(3);
    break;
  }
  constexpr std::string_view kOf = "的";
  const size_t of = name.metric.rfind(kOf);
  if (of != std::string_view::npos) name.metric.remove_prefix(of + kOf.size());
  return name.metric.empty() ? ChineseName{name.phase, word} : name;
}

bool is_chinese_metric(std::string_view name) {
  for (const std::string_view word : kSettings) {
    if (has(name, word)) return false;
  }
  for (const std::string_view word : kMetrics) {
    if (has(name, word)) return true;
  }
  return false;
}

}  // namespace ringlab
