#include "src/suggest.h"

#include <algorithm>
#include <numeric>

namespace ringlab {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& valid, size_t count) {
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < valid.size(); ++i) {
    const bool prefix = !word.empty() && valid[i].compare(0, word.size(), word) == 0;
    order.emplace_back(prefix ? 1 : edit_distance(word, valid[i]), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> words;
  for (const auto& [distance, index] : order) {
    if (words.size() == count) break;
    words.push_back(valid[index]);
  }
  return words;
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

}  // namespace ringlab
