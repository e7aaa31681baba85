// What LogReader finds in printed lines, as texts.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "collect/printed/log_reader.h"

namespace ringlab {

inline std::string text_of(const std::optional<double>& number) { return number ? json_number(*number) : "-"; }

/// `step|epoch|name=value name=value`, one a record; `attempt 2`, where one begins.
inline std::vector<std::string> read(LogReader& reader, const std::string& text) {
  std::vector<Found> found;
  EXPECT_EQ(reader.read(text, true, found), text.size());
  std::vector<std::string> records;
  for (const auto& record : found) {
    if (record.kind == Found::Kind::start) {
      records.push_back("attempt " + text_of(record.step));
      continue;
    }
    std::string line = text_of(record.step) + "|" + text_of(record.epoch) + "|";
    for (const auto& [name, value] : record.values) line += (line.back() == '|' ? "" : " ") + name + "=" + json_number(value);
    records.push_back(line);
  }
  return records;
}

inline std::vector<std::string> read(const std::string& text) {
  LogReader reader;
  return read(reader, text);
}

using Lines = std::vector<std::string>;

}  // namespace ringlab
