#include "base/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ringlab {
namespace {

/// Lower-case letters and digits only.
std::string folded(const std::string& word) {
  std::string out;
  for (const char letter : word) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) out += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return out;
}

}  // namespace

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
  const std::string wanted = folded(word);
  for (size_t i = 0; i < valid.size(); ++i) {
    const std::string one = folded(valid[i]);
    const size_t distance = edit_distance(wanted, one);
    const bool prefix = !wanted.empty() && one.compare(0, wanted.size(), wanted) == 0;
    order.emplace_back(prefix ? std::min<size_t>(distance, 1) : distance, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> words;
  for (const auto& [distance, index] : order) {
    if (words.size() == count) break;
    words.push_back(valid[index]);
  }
  return words;
}

std::string unknown_architecture(const std::string& name, const std::vector<std::string>& valid) {
  std::string plain = folded(name);
  bool quantised = false;
  for (const std::string mark : {"quantized", "quantised", "quantization", "quantizable", "int8", "fbgemm", "qnnpack"}) {
    const size_t at = plain.find(mark);
    if (at == std::string::npos) continue;
    quantised = true;
    plain.erase(at, mark.size());
  }
  return std::string("unknown; ") + (quantised ? "quantised models are not trained here; " : "") + "nearest valid: " + join(nearest(quantised ? plain : name, valid, 3));
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
