// Chinese in printed lines: ordinals, phases and metrics, which no spaces divide.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "collect/printed/metric_names.h"

namespace ringlab {

struct Ordinal {
  Marker marker = Marker::none;
  double at = 0;
  std::optional<double> of;
  size_t end = 0;  ///< behind it
};

/// `第3轮`, `第 3/10 轮`, `第 3 个epoch`, `第 100 步` at `at`.
std::optional<Ordinal> chinese_ordinal(std::string_view line, size_t at);

/// Length of `为` or `是` at `at` where a number follows: what stands before it is its name; else 0.
size_t chinese_is(std::string_view line, size_t at);

/// Whether the digits at `at` are the value of the metric whose name `word` ends there: `损失94.5`, not `损失1: 0.5`.
bool is_value_behind(std::string_view word, std::string_view line, size_t at);

struct ChineseName {
  std::string_view phase;   ///< "train", "val", "test" or ""
  std::string_view metric;  ///< the rest
};

/// `测试集上的准确率` is `准确率` of a test, `训练损失` is `损失` of training; a word without such parts is its own metric.
ChineseName chinese_name(std::string_view word);

bool is_chinese_metric(std::string_view name);

}  // namespace ringlab
