#include "link/link_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

constexpr size_t kMaxRows = 20'000;
constexpr size_t kColumns = 6;
constexpr int64_t kMaxDelay = 60'000'000;
/// IFNAMSIZ without its end.
constexpr size_t kMaxDevice = 15;
constexpr size_t kMaxNamespace = 255;

bool is_name(std::string_view text, size_t max_length) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
  };
  return !text.empty() && text.size() <= max_length && std::all_of(text.begin(), text.end(), allowed);
}

std::optional<LinkRow> read_row(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
    if (words.size() > kColumns) return std::nullopt;
  }
  if (words.size() != kColumns || !is_name(words[0], kMaxDevice) || !is_name(words[1], kMaxNamespace) || !is_name(words[2], kMaxNamespace)) return std::nullopt;
  if (words[1] == words[2]) return std::nullopt;
  const auto delay = number_of<int64_t>(words[3]);
  const auto jitter = number_of<int64_t>(words[4]);
  const auto loss = number_of<double>(words[5]);
  const auto is_time = [](const std::optional<int64_t>& value) { return value && *value >= 0 && *value <= kMaxDelay; };
  if (!is_time(delay) || !is_time(jitter) || !loss || !(*loss >= 0 && *loss <= 100)) return std::nullopt;
  return LinkRow{std::string(words[0]), {std::string(words[1]), std::string(words[2])}, {*delay, *jitter, *loss}};
}

}  // namespace

std::vector<LinkRow> read_link_table(std::string_view text) {
  std::vector<LinkRow> rows;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    ++number;
    if (line.empty()) continue;
    auto row = read_row(line);
    if (!row || rows.size() == kMaxRows) {
      throw Failure(ErrorCode::usage, "link: line " + std::to_string(number) + " is no 'DEVICE NAMESPACE NAMESPACE DELAY JITTER LOSS'");
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace ringlab
