#include "collect/records/printed_dicts.h"

#include "collect/records/phases.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

template <typename Take>
void each_word(std::string_view text, Take take) {
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t begin = at;
    while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
    take(text.substr(begin, at - begin));
  }
}

}  // namespace

std::vector<PrintedDict> dicts_of(std::string_view line) {
  std::vector<PrintedDict> found;
  size_t begin = 0;  // of the text before
  size_t open = 0;
  size_t depth = 0;
  char quote = 0;  // apostrophes outside of dicts are no quotes
  for (size_t at = 0; at < line.size() && found.size() < kMaxDicts; ++at) {
    const char c = line[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (depth > 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '{') {
      if (depth++ == 0) open = at;
    } else if (c == '}' && depth > 0 && --depth == 0) {
      found.push_back({line.substr(begin, open - begin), line.substr(open, at + 1 - open)});
      begin = at + 1;
    }
  }
  return found;
}

std::string_view last_phase_in(std::string_view text) {
  std::string_view found;
  each_word(text, [&](std::string_view word) {
    if (const std::string_view phase = phase_of(word); !phase.empty()) found = phase;
  });
  return found;
}

bool says_best(std::string_view text) {
  bool found = false;
  each_word(text, [&](std::string_view word) { found = found || lower(word) == "best"; });
  return found;
}

}  // namespace ringlab
