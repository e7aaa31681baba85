#include "collect/formats/json_lines.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "collect/records/json_values.h"
#include "collect/records/phases.h"

namespace ringlab {
namespace {

constexpr size_t kMaxValues = 1000;
constexpr size_t kMaxConfig = 32 << 10;
constexpr size_t kMaxReport = 16 << 10;

void problem(std::string reason, uint64_t end, std::vector<Found>& found) {
  Found one;
  one.kind = Found::Kind::problem;
  one.end = end;
  one.text = std::move(reason);
  found.push_back(std::move(one));
}

/// Whether another program's line has numbers of its own: then `values`, `config` and `save` are names of its own, too.
bool is_of_another(const Found& record) {
  return std::any_of(record.values.begin(), record.values.end(), [](const auto& value) { return value.first.rfind("values/", 0) != 0 && value.first.rfind("config/", 0) != 0; });
}

bool is_object(const JsonValue* value) { return value != nullptr && value->kind == JsonValue::Kind::object; }

}  // namespace

/// The steps of a validation are those of its own data: it belongs to the training's newest one.
void JsonLines::take_place(const JsonValue& object, bool whole_run, Found& record) {
  const std::string_view phase = phase_of_record(object);
  if (phase == "val" || phase == "test") {
    if (record.step && step_ && !whole_run) record.step = step_;
  } else if (record.step) {
    if (record.epoch && !whole_run) record.step = track_.step_of(*record.step, std::nullopt, record.epoch, true);
    step_ = record.step;
  }
  if (phase.empty()) return;
  for (auto& [name, value] : record.values) {
    if (phase_in(name).empty()) name.insert(0, std::string(phase) + "/");
  }
}

void JsonLines::line(std::string_view text, uint64_t end, std::vector<Found>& found) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto value = read_json(text);
  if (!value || value->kind != JsonValue::Kind::object) {
    problem("a line is not a JSON object", end, found);
    return;
  }
  Found record;
  record.end = end;
  const JsonValue* values = value->find("values");
  const bool nested = is_object(values);
  flatten_numbers(*value, kMaxValues, record.values);
  const bool whole_run = counts_whole_run(record.values);
  take_axes(record);
  if (!package_ && is_of_another(record)) {
    take_place(*value, whole_run, record);
    found.push_back(std::move(record));
    return;
  }
  if (nested) {
    record.values.clear();
    flatten_numbers(*values, kMaxValues, record.values);
    // A script may log its epoch as a value: it is both.
    const JsonValue* epoch = values->find("epoch");
    if (const auto number = epoch != nullptr ? metric_number(*epoch) : std::nullopt; number && !record.epoch) record.epoch = number;
  }
  const JsonValue* config = value->find("config");
  const JsonValue* save = value->find("save");
  const JsonValue* collectives = package_ ? value->find("collectives") : nullptr;
  const JsonValue* profile = package_ ? value->find("profile") : nullptr;
  if (is_object(config)) {
    record.kind = Found::Kind::config;
    record.text = json_text(*config);
    if (record.text.size() > kMaxConfig) return problem("a config is longer than 32 KiB", end, found);
    record.values.clear();
  } else if (save != nullptr && save->kind == JsonValue::Kind::text) {
    record.kind = Found::Kind::saved;
    record.text = save->text;
    record.values.clear();
  } else if (is_object(collectives)) {
    record.kind = Found::Kind::waiting;
    record.text = json_text(*collectives);
    if (record.text.size() > kMaxReport) return problem("a record of collectives is longer than 16 KiB", end, found);
    record.values.clear();
  } else if (is_object(profile)) {
    record.kind = Found::Kind::profile;
    record.text = json_text(*profile);
    if (record.text.size() > kMaxReport) return problem("a profile is longer than 16 KiB", end, found);
    record.values.clear();
  } else if (record.values.empty()) {
    return;
  }
  found.push_back(std::move(record));
}

uint64_t JsonLines::read(std::string_view bytes, bool last, std::vector<Found>& found) {
  size_t done = 0;
  while (done < bytes.size()) {
    size_t end = bytes.find('\n', done);
    if (end == std::string_view::npos) {
      if (done == 0 && bytes.size() >= kReadWindow) {
        problem("a line is longer than 1 MiB", bytes.size(), found);
        return bytes.size();
      }
      if (!last) break;
      end = bytes.size();
    }
    const size_t next = end < bytes.size() ? end + 1 : end;
    line(bytes.substr(done, end - done), next, found);
    done = next;
  }
  return done;
}

std::string JsonLines::state() const {
  if (package_) return {};
  JsonObject out;
  if (step_) out.add("step", *step_);
  return out.add_raw("tracks", json_of(StepTracks{{"train", track_}})).str();
}

void JsonLines::restore(const std::string& state) {
  const auto value = read_json(state);
  if (!value) return;
  step_ = number_of_member(*value, "step");
  if (const JsonValue* tracks = value->find("tracks")) track_ = tracks_of(*tracks)["train"];
}

}  // namespace ringlab
