// The table behind parse_options, help_text and options_as_json: one row per option.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/options.h"

namespace ringlab {

/// Must all ranks of a run have the same value?
enum class Agreement {
  by_group,  ///< `same` for the group "Training", `own` for the others
  same,
  given,  ///< on all ranks or on none: the value itself may differ, as a path
  own,
};

struct OptionRow {
  std::vector<std::string> names;  ///< long names first, then short ones: "--batch-size", "-b"
  std::string metavar;             ///< empty: a switch without a value
  std::string help;                ///< may contain %d for the default
  std::string group;               ///< heading in --help
  /// Receives the value (empty for a switch); throws Failure with the option's `name` as the user typed it.
  std::function<void(Options&, const std::string& name, const std::string& value)> set;
  /// Adds `key`: value to the settings.
  std::function<void(const Options&, JsonObject&, const std::string& key)> get;
  /// The value as typed by a user, if that differs from JSON; "" if the option was not given.
  std::function<std::string(const Options&)> raw = {};
  /// If the value is optional: its valid words. The first is the value without one.
  std::vector<std::string> words = {};
  Agreement agreement = Agreement::by_group;
};

/// Heading of the options that affect the trained model.
constexpr const char* kTrainingGroup = "Training";

std::vector<OptionRow> option_table(const std::vector<std::string>& architectures);

}  // namespace ringlab
