// Words for the phases of a training, in English and Chinese.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "collect/records/json_reader.h"

namespace ringlab {

/// ASCII lower case.
std::string lower(std::string_view text);

constexpr std::pair<std::string_view, std::string_view> kChinesePhases[] = {{"训练", "train"}, {"验证", "val"}, {"测试", "test"}};

/// "train", "val" or "test" where the word means one of them; else "".
std::string_view phase_of(std::string_view word);

/// Whether the word is of an evaluation, whose set may follow: `Evaluating train`, `evaluation on the test set`.
bool is_evaluation(std::string_view word);

/// The phase that any word of a text names: "train", "val", "test" or "".
std::string_view phase_in(std::string_view text);

/// The phase of a dict or JSON object that names it: `{"mode": "val", …}` of OpenMMLab; "" of any other.
std::string_view phase_of_record(const JsonValue& object);

}  // namespace ringlab
