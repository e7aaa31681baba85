// Numbers in the JSON objects and dicts that scripts write: flat names, and which of them are the x axis.
#pragma once

#include "collect/records/json_reader.h"
#include "collect/records/reader.h"

namespace ringlab {

/// Appends the numbers of an object: nested names are joined with '/'. Texts, truth values and lists are left out.
/// Stops at `max_values` values.
void flatten_numbers(const JsonValue& object, size_t max_values, std::vector<std::pair<std::string, double>>& values);

/// Moves step, epoch and time out of the values of a record: the x axis is no curve. Drops names that begin with an underscore, which are
/// W&B's own. Names: step, _step, iteration, iter, global_step, trainer/global_step; epoch;
/// t, time, timestamp (where it is a Unix time), _timestamp.
void take_axes(Found& record);

}  // namespace ringlab
