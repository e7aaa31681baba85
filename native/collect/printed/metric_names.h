// Which words of a printed line name a metric.
#pragma once

#include <string>
#include <string_view>

#include "collect/records/phases.h"

namespace ringlab {

/// loss, accuracy, top-1, perplexity and the like, also as a part: train_loss, lossG, Acc@1. A number with such a name is a metric wherever it stands.
bool is_metric_name(std::string_view name);

/// Such a one that is no share of anything: never percents.
bool is_loss_name(std::string_view name);

/// What is a metric beside one, or in a line with an epoch or step, and written without ':' or '=': lr, time, norm.
bool is_companion_name(std::string_view name);

/// It is that of the whole training, also in the part of a line that says what the validation found.
bool is_learning_rate(std::string_view name);

/// What is none even there: ports, seeds, file names with line numbers, settings.
bool is_setting_name(std::string_view name);

/// cuda and the like, which a device's index follows: cuda:0. Not cpu and gpu, whose use is printed so, too.
bool is_device_name(std::string_view name);

/// The word of a sentence that says what its percents are of: accuracy, precision, recall, error; else "".
std::string_view share_word(std::string_view sentence);

/// Epochs, steps and episodes are counted; anything else is a value.
enum class Marker { none, epoch, step, episode };
Marker marker_of(std::string_view word);

/// The curve of a number with these words before it, the last of which is `last`: `train loss` is `train/loss`, and of `CV info cv_loss` the identifier is the
/// name. `phase` becomes the one that the words begin with.
std::string curve_name(const std::string& words, std::string_view last, std::string& phase);

}  // namespace ringlab
