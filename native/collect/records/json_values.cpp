#include "collect/records/json_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.h"

namespace ringlab {
namespace {

constexpr double kEarliest = 1e9;  ///< 2001, in Unix seconds: smaller numbers named `time` are durations
constexpr double kLatest = 1e11;

void flatten(const JsonValue& object, const std::string& prefix, size_t max_values, std::vector<std::pair<std::string, double>>& values) {
  for (const auto& [name, value] : object.members) {
    if (values.size() >= max_values) return;
    if (const auto number = metric_number(value)) {
      values.emplace_back(prefix + name, *number);
    } else if (value.kind == JsonValue::Kind::object) {
      flatten(value, prefix + name + "/", max_values, values);
    }
  }
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

bool is_whole_run(const std::string& name) { return is_one_of(name, {"global_step", "trainer/global_step", "train/global_step", "num_updates", "train_num_updates", "valid_num_updates"}); }

}  // namespace

void flatten_numbers(const JsonValue& object, size_t max_values, std::vector<std::pair<std::string, double>>& values) { flatten(object, "", max_values, values); }

void take_axes(Found& record) {
  auto& values = record.values;
  values.erase(std::remove_if(values.begin(), values.end(),
                              [&](const auto& value) {
                                const auto& [name, number] = value;
                                const bool whole_run = is_whole_run(name);
                                if (whole_run || is_one_of(name, {"step", "_step", "iteration", "iter"})) {
                                  if (std::isfinite(number) && (!record.step || whole_run)) record.step = number;
                                  return true;
                                }
                                if (is_one_of(name, {"epoch", "train/epoch"})) {
                                  if (std::isfinite(number) && (!record.epoch || name == "epoch")) record.epoch = number;
                                  return true;
                                }
                                const bool unix_time = number > kEarliest && number < kLatest;
                                if (unix_time && is_one_of(name, {"t", "time", "timestamp", "_timestamp"})) {
                                  record.time = number;
                                  return true;
                                }
                                return name.rfind('_', 0) == 0;
                              }),
               values.end());
}

bool counts_whole_run(const std::vector<std::pair<std::string, double>>& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& value) { return is_whole_run(value.first); });
}

std::string json_of(const std::vector<std::pair<std::string, double>>& numbers) {
  std::vector<std::string> out;
  for (const auto& [name, number] : numbers) out.push_back(json_array({json_string(name), json_number(number)}));
  return json_array(out);
}

std::string json_of(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(json_string(name));
  return json_array(out);
}

std::vector<std::pair<std::string, double>> named_numbers(const JsonValue& object, const char* member) {
  std::vector<std::pair<std::string, double>> out;
  const JsonValue* array = object.find(member);
  if (array == nullptr) return out;
  for (const JsonValue& item : array->items) {
    const auto number = item.items.size() == 2 ? metric_number(item.items[1]) : std::nullopt;
    if (number) out.emplace_back(item.items[0].text, *number);
  }
  return out;
}

std::vector<std::string> texts_of(const JsonValue& object, const char* member) {
  std::vector<std::string> out;
  const JsonValue* array = object.find(member);
  if (array == nullptr) return out;
  for (const JsonValue& item : array->items) out.push_back(item.text);
  return out;
}

}  // namespace ringlab
