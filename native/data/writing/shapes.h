// `shapes`: a generated data set. Ten kinds of figures on an uneven background, as JPEGs in an ImageFolder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/formats/image.h"

namespace ringlab {

/// The class names in sorted order: the label of shape i is i for ten classes.
const std::vector<std::string>& shape_names();

/// Draws one image of class `shape`, `size` pixels square: colours, position, size, rotation, background and noise from
/// `random`.
Image draw_shape(int shape, int size, Stream& random);

/// The harder variant: any rotation, brighter or darker than the background and sometimes barely so, partly covered by strokes,
/// with more noise. A resnet18 does not reach 99 % on it.
Image draw_hard_shape(int shape, int size, Stream& random);

struct ShapesSettings {
  std::string dir;
  int train = 2000;
  int val = 400;
  int size = 32;
  int classes = 10;
  uint64_t seed = 1;
  bool hard = false;
};

/// Writes <dir>/{train,val}/<class>/NNNNN.jpg under a temporary name beside `dir` and renames it. The same settings give
/// the same bytes. Returns false without writing if a complete folder with the same settings exists. Throws Failure:
/// bad_data if `dir` has other content, disk_full.
bool make_shapes(const ShapesSettings& settings);

/// `ringlab-train make-shapes …`: parses, writes, reports. Returns the exit code; throws Failure.
int make_shapes_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
