// Options with one of several words as value: an enumeration each, and one table of its words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "optim/schedule.h"

namespace ringlab {

enum class Amp { off, fp16, bf16 };
enum class OptimizerKind { sgd, adam, adamw };
enum class Parallel { ddp, dp, none };
enum class Backend { gloo, nccl, mpi };
enum class When { on, off, automatic };
/// What the ranks that are left do: end, save together what they have and end, or go on.
enum class OnLostRank { end, save, go_on };

/// Each value with its word on the command line, in a run's metrics lines and in messages.
template <typename Kind>
using WordTable = std::vector<std::pair<Kind, std::string>>;

const WordTable<Amp>& word_table(Amp);
const WordTable<OptimizerKind>& word_table(OptimizerKind);
const WordTable<Parallel>& word_table(Parallel);
const WordTable<Backend>& word_table(Backend);
const WordTable<When>& word_table(When);
const WordTable<OnLostRank>& word_table(OnLostRank);
const WordTable<ScheduleKind>& word_table(ScheduleKind);

/// In the table's order.
template <typename Kind>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const auto& [value, word] : word_table(Kind{})) words.push_back(word);
  return words;
}

/// Every value must be in its table.
template <typename Kind>
const std::string& word_of(Kind wanted) {
  const auto& table = word_table(wanted);
  size_t row = 0;
  while (table[row].first != wanted) ++row;
  return table[row].second;
}

}  // namespace ringlab
