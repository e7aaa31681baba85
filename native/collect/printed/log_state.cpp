// What LogReader has to know to continue, as JSON.
#include "base/json.h"
#include "collect/printed/log_reader.h"
#include "collect/records/json_reader.h"
#include "collect/records/json_values.h"

namespace ringlab {

std::string LogReader::state() const {
  JsonObject out;
  if (epoch_) out.add("epoch", *epoch_);
  if (step_) out.add("step", *step_);
  if (progress_.epochs) out.add("epochs", *progress_.epochs);
  if (!evaluated_.averages().empty()) out.add_raw("evaluated", json_of(evaluated_.averages()));
  if (!columns_.names().empty()) out.add_raw(columns_.has_bars() ? "bar_columns" : "columns", json_of(columns_.names()));
  if (!cells_.empty()) out.add_raw("cells", json_of(cells_.values()));
  if (!cells_.group().empty()) out.add("group", cells_.group());
  JsonObject shown;
  for (const auto& [key, values] : shown_) shown.add(key, values);
  if (!shown.empty()) out.add_raw("shown", shown.str());
  return out.add("main", main_).add_raw("tracks", json_of(tracks_)).str();
}

void LogReader::restore(const std::string& state) {
  const auto value = read_json(state);
  if (!value) return;
  epoch_ = number_of_member(*value, "epoch");
  step_ = number_of_member(*value, "step");
  progress_.epoch = epoch_;
  progress_.epochs = number_of_member(*value, "epochs");
  if (const JsonValue* main = value->find("main")) main_ = main->text;
  if (const JsonValue* tracks = value->find("tracks")) tracks_ = tracks_of(*tracks);
  evaluated_.restore(named_numbers(*value, "evaluated"));
  const bool bars = value->find("bar_columns") != nullptr;
  columns_.restore(texts_of(*value, bars ? "bar_columns" : "columns"), bars);
  if (const JsonValue* shown = value->find("shown")) {
    for (const auto& [key, values] : shown->members) shown_[key] = values.text;
  }
  const JsonValue* group = value->find("group");
  cells_.restore(named_numbers(*value, "cells"), group ? group->text : "");
}

}  // namespace ringlab
