// The results of pycocotools, which detection scripts print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ringlab {

/// ` Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.381` is `AP 0.50:0.95`; an area or a number of detections that is not the usual one is a
/// part of the name. Nothing for other lines, and for -1, which stands for no result.
std::optional<std::pair<std::string, double>> coco_line(std::string_view line);

}  // namespace ringlab
