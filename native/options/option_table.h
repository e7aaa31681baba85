// The table behind parse_options, help_text and options_as_json: one row an option.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/options.h"

namespace ringlab {

/// Whether all ranks of a run must be given the same.
enum class Agreement {
  by_group,  ///< `same` for the group "Training", `own` for the others
  same,
  given,  ///< all or none: the value is each rank's own, as a path is
  own,
};

struct OptionRow {
  std::vector<std::string> names;  ///< long names first, then short ones: "--batch-size", "-b"
  std::string metavar;             ///< empty: a switch without a value
  std::string help;                ///< may contain %d for the default
  std::string group;               ///< heading in --help
  /// Takes the value (empty for a switch); throws Failure with the option's `name` as the user wrote it.
  std::function<void(Options&, const std::string& name, const std::string& value)> set;
  /// Adds `key`: value to the settings.
  std::function<void(const Options&, JsonObject&, const std::string& key)> get;
  /// The value as one would type it, where that differs from JSON's; "" where the option was not given.
  std::function<std::string(const Options&)> raw = {};
  /// Where the value may be left out: its valid words. The first is the value without one.
  std::vector<std::string> words = {};
  Agreement agreement = Agreement::by_group;
};

/// Heading of the options that say what is learned.
constexpr const char* kTrainingGroup = "Training";

std::vector<OptionRow> option_table(const std::vector<std::string>& architectures);

}  // namespace ringlab
