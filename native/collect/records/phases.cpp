#include "collect/records/phases.h"

#include <algorithm>
#include <cctype>

namespace ringlab {
namespace {

/// Of `训练`, `验证集` and the like.
std::string_view chinese_phase(std::string_view word) {
  for (const auto& [text, phase] : kChinesePhases) {
    if (word.substr(0, text.size()) == text && (word == text || word.substr(text.size()) == "集")) return phase;
  }
  return {};
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view phase_of(std::string_view word) {
  const std::string low = lower(word);
  if (low == "train" || low == "training") return "train";
  if (low == "val" || low == "valid" || low == "validation" || low == "eval" || low == "evaluation" || low == "evaluating" || low == "validating" || low == "validate" || low == "evaluate" || low == "vali" || low == "dev") return "val";
  if (low == "test" || low == "testing") return "test";
  return chinese_phase(word);
}

bool is_evaluation(std::string_view word) {
  const std::string low = lower(word);
  return low == "eval" || low == "evaluation" || low == "evaluating" || low == "evaluate";
}

std::string_view phase_in(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of(" :_-[]/", at), text.size());
    const std::string_view phase = phase_of(text.substr(at, end - at));
    if (!phase.empty()) return phase;
    at = end + 1;
  }
  return {};
}

std::string_view phase_of_record(const JsonValue& object) {
  for (const char* name : {"mode", "phase", "split", "stage"}) {
    const JsonValue* member = object.find(name);
    if (member == nullptr || member->kind != JsonValue::Kind::text) continue;
    const std::string_view phase = phase_of(member->text);
    if (!phase.empty()) return phase;
  }
  return {};
}

}  // namespace ringlab
