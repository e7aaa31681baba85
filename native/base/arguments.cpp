#include "base/arguments.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/suggest.h"

namespace ringlab {
namespace {

std::string text_of(double limit) { return json_number(limit); }
std::string text_of(int limit) { return std::to_string(limit); }
std::string text_of(uint64_t limit) { return std::to_string(limit); }

template <typename Number>
ArgumentRow row_of(std::string name, Number& into, Number low, Number high, const std::string& unit) {
  return {std::move(name), true, [=, &into](const std::string& given, const std::string& value) {
            const auto number = number_of<Number>(value);
            // False for NaN.
            if (!number || !(*number >= low && *number <= high)) throw Failure(ErrorCode::usage, given + ": valid: " + text_of(low) + " to " + text_of(high) + unit);
            into = *number;
          }};
}

}  // namespace

ArgumentRow number_row(std::string name, int& into, int low, int high) { return row_of(std::move(name), into, low, high, ""); }

ArgumentRow number_row(std::string name, uint64_t& into, uint64_t low, uint64_t high) { return row_of(std::move(name), into, low, high, ""); }

ArgumentRow number_row(std::string name, double& into, double low, double high, std::string unit) { return row_of(std::move(name), into, low, high, unit); }

ArgumentRow text_row(std::string name, std::string& into) {
  return {std::move(name), true, [&into](const std::string&, const std::string& value) { into = value; }};
}

ArgumentRow switch_row(std::string name, bool& into) {
  return {std::move(name), false, [&into](const std::string&, const std::string&) { into = true; }};
}

void parse_arguments(const std::string& command, const std::vector<std::string>& arguments, const std::vector<ArgumentRow>& rows,
                     const std::function<void(const std::string&)>& positional) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (positional && argument.rfind("--", 0) != 0) {
      positional(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const bool inline_value = equals != std::string::npos;
    const std::string name = argument.substr(0, equals);
    const std::string begin = command + ": " + name;
    const auto row = std::find_if(rows.begin(), rows.end(), [&name](const ArgumentRow& known) { return known.name == name; });
    if (row == rows.end()) {
      std::vector<std::string> names;
      for (const auto& known : rows) names.push_back(known.name);
      throw Failure(ErrorCode::usage, begin + ": unknown option; nearest: " + join(nearest(name, names, 3)));
    }
    if (!row->takes_value) {
      if (inline_value) throw Failure(ErrorCode::usage, begin + " takes no value");
      row->set(begin, "");
      continue;
    }
    if (!inline_value && i + 1 == arguments.size()) throw Failure(ErrorCode::usage, begin + ": its value is missing");
    const std::string value = inline_value ? argument.substr(equals + 1) : arguments[++i];
    row->set(begin + " " + value, value);
  }
}

}  // namespace ringlab
