#include "collect/printed/coco_line.h"

#include "collect/printed/line_kinds.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

/// What stands behind `key` until the next '|' or ']'.
std::string_view setting(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return trimmed(rest.substr(0, rest.find_first_of("|]")));
}

}  // namespace

std::optional<std::pair<std::string, double>> coco_line(std::string_view line) {
  const bool precision = line.rfind("Average Precision", 0) == 0;
  if (!precision && line.rfind("Average Recall", 0) != 0) return std::nullopt;
  const std::string_view overlap = setting(line, "IoU=");
  const size_t equals = line.rfind("] = ");
  if (overlap.empty() || equals == std::string_view::npos) return std::nullopt;
  const std::string_view text = trimmed(line.substr(equals + 4));
  double value = 0;
  if (text.empty() || number_at(text, value) != text.size() || !(value >= 0)) return std::nullopt;
  std::string name = (precision ? "AP " : "AR ") + std::string(overlap);
  const std::string_view area = setting(line, "area=");
  if (!area.empty() && area != "all") name += " " + std::string(area);
  const std::string_view most = setting(line, "maxDets=");
  if (!most.empty() && most != "100") name += " of " + std::string(most);
  return std::pair{name, value};
}

}  // namespace ringlab
