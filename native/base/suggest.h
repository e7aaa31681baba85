// 'Did you mean': the nearest valid words to a wrong one.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Levenshtein distance, in bytes.
size_t edit_distance(const std::string& a, const std::string& b);

/// Up to `count` of `valid`, nearest first; words with `word` as a prefix count as near. Case and dashes are ignored: `ResNet-18`
/// is resnet18.
std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& valid, size_t count);

/// Advice for an architecture that is not in `valid`: the nearest ones; for a quantised model, that these are not supported.
std::string unknown_architecture(const std::string& name, const std::vector<std::string>& valid);

/// "a, b, c".
std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

}  // namespace ringlab
