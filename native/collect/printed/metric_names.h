// Which words of a printed line name a metric.
#pragma once

#include <string>
#include <string_view>

namespace ringlab {

/// loss, accuracy, top-1, perplexity and the like, also as a part: train_loss, lossG, Acc@1. A number with such a name is a metric wherever it stands.
bool is_metric_name(std::string_view name);

/// What is a metric beside one, or in a line with an epoch or step, and written without ':' or '=': lr, time, norm.
bool is_companion_name(std::string_view name);

/// What is none even there: ports, seeds, file names with line numbers, settings.
bool is_setting_name(std::string_view name);

/// "train", "val" or "test" where the word means one of them; else "".
std::string_view phase_of(std::string_view word);

/// Epochs and steps are counted; anything else is a value.
enum class Marker { none, epoch, step };
Marker marker_of(std::string_view word);

/// ASCII lower case.
std::string lower(std::string_view text);

}  // namespace ringlab
