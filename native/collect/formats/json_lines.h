// JSON lines: those of Ringlab's Python package, and any file with one JSON object a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collect/records/json_reader.h"
#include "collect/records/reader.h"
#include "collect/records/step_track.h"

namespace ringlab {

/// Numbers of each line become scalars (records/json_values.h). A line with an object `values` has its numbers there; one with `config`
/// is a config, one with `save` names a file. With `package` one with `collectives` says where a rank stands, one with `profile` what its time goes into; without it, a line that has other numbers, too, is
/// another program's, whose `values`, `config` and `save` mean nothing; a step of it that starts again in each epoch counts on, and a phase that it names
/// (`"mode": "val"`) is a part of its names. A line that is no JSON object is reported, an incomplete last line waits for its end.
class JsonLines : public Reader {
 public:
  explicit JsonLines(bool package = true) : package_(package) {}
  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;

  std::string state() const override;
  void restore(const std::string& state) override;

 private:
  void line(std::string_view text, uint64_t end, std::vector<Found>& found);
  void take_place(const JsonValue& object, bool whole_run, Found& record);

  bool package_;
  StepTrack track_;             ///< of another program's training
  std::optional<double> step_;  ///< its newest one
};

}  // namespace ringlab
