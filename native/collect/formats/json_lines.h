// JSON lines: those of Ringlab's Python package, and any file with one JSON object a line.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/records/reader.h"

namespace ringlab {

/// Numbers of each line become scalars (records/json_values.h). A line with an object `values` has its numbers there; one with `config`
/// is a config, one with `save` names a file. A line that is no JSON object is reported, an incomplete last line waits for its end.
class JsonLines : public Reader {
 public:
  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;
};

}  // namespace ringlab
