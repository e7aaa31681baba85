// `shapes`: generated data sets. Figures on an uneven background, as JPEGs in an ImageFolder, in three tasks that are ever harder to learn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/formats/image.h"

namespace ringlab {

enum class ShapeTask {
  easy,        ///< ten figures, bright on dark
  hard,        ///< the same in any rotation, brighter or darker than the background and sometimes barely so, partly covered by strokes, with more noise
  classes100,  ///< as `hard`; a class is a figure, one of five colours, and whether it is striped
};

/// As on the command line, in the order of ShapeTask.
const std::vector<std::string>& shape_task_names();

/// The class names in sorted order: the label of class i is i where all of them are drawn.
const std::vector<std::string>& shape_names(ShapeTask task);

/// Draws one image of class `label`, `size` pixels square: colours, position, size, rotation, background and noise from
/// `random`.
Image draw_shape(ShapeTask task, int label, int size, Stream& random);

struct ShapesSettings {
  std::string dir;
  int train = 2000;
  int val = 400;
  int size = 32;
  int classes = 0;  ///< 0: all of the task
  uint64_t seed = 1;
  ShapeTask task = ShapeTask::easy;
};

/// Writes <dir>/{train,val}/<class>/NNNNN.jpg under a temporary name beside `dir` and renames it. The same settings give
/// the same bytes. Returns false without writing if a complete folder with the same settings exists. Throws Failure:
/// bad_data if `dir` has other content, disk_full.
bool make_shapes(const ShapesSettings& settings);

/// `ringlab-train make-shapes …`: parses, writes, reports. Returns the exit code; throws Failure.
int make_shapes_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
