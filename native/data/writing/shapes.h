// `shapes`: a data set that is drawn, not downloaded. Ten kinds of figures on uneven ground, as JPEGs in an ImageFolder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/formats/image.h"

namespace ringlab {

/// The class names, in their sorted order: the label of shape i is i for ten classes.
const std::vector<std::string>& shape_names();

/// Draws one picture of class `shape`, `size` pixels square: colours, place, size, turn, ground and noise from `random`.
Image draw_shape(int shape, int size, Stream& random);

/// The harder variant: turned any way, brighter or darker than the ground and at times barely so, under strokes that hide parts
/// of it, in more noise. A resnet18 does not reach 99 % on it.
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
/// the same bytes. Returns false, and writes nothing, where a whole folder of the same settings already stands.
/// Throws Failure: bad_data where something else stands there, disk_full.
bool make_shapes(const ShapesSettings& settings);

/// `ringlab-train make-shapes …`: parses, writes, reports. Returns the exit code; throws Failure.
int make_shapes_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
