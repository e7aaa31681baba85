// Numbers in the JSON objects and dicts that scripts write: flat names, and which of them are the x axis.
#pragma once

#include "collect/records/json_reader.h"
#include "collect/records/reader.h"

namespace ringlab {

/// Appends the numbers of an object: nested names are joined with '/'. Texts, truth values and lists are left out.
/// Stops at `max_values` values.
void flatten_numbers(const JsonValue& object, size_t max_values, std::vector<std::pair<std::string, double>>& values);

/// Moves step, epoch and time out of the values of a record: the x axis is no curve. Drops names that begin with an underscore, which are
/// W&B's own. Names: step, _step, iteration, iter, and before them the counts over the whole run, global_step, trainer/global_step (Lightning's) and
/// train/global_step (Hugging Face's, whose callbacks name no step: _step counts their calls); epoch, train/epoch;
/// t, time, timestamp (where it is a Unix time), _timestamp.
void take_axes(Found& record);

/// Whether one of the values is a step that counts over the whole run by its name: global_step and the like.
bool counts_whole_run(const std::vector<std::pair<std::string, double>>& values);

/// Named numbers as a JSON array of `[name, number]`, and names as one of texts: what a reader keeps in its state.
std::string json_of(const std::vector<std::pair<std::string, double>>& numbers);
std::string json_of(const std::vector<std::string>& names);
/// What json_of() wrote into an object's member; what is not of that form is left out.
std::vector<std::pair<std::string, double>> named_numbers(const JsonValue& object, const char* member);
std::vector<std::string> texts_of(const JsonValue& object, const char* member);

}  // namespace ringlab
