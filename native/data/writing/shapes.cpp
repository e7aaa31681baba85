#include "data/writing/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace ringlab {
namespace {

using Colour = std::array<double, 3>;

struct Point {
  double x = 0;
  double y = 0;
};

constexpr double kPi = 3.14159265358979323846;

/// Signed distance to the edge of a regular polygon or star given by its corners' radii, negative inside; unit size.
double polygon(Point p, int corners, double outer, double inner) {
  const int spikes = inner > 0 ? 2 * corners : corners;
  bool inside = false;
  double nearest = 1e9;
  auto corner = [&](int i) {
    const double radius = inner > 0 && i % 2 == 1 ? inner : outer;
    const double angle = 2 * kPi * i / spikes - kPi / 2;
    return Point{radius * std::cos(angle), radius * std::sin(angle)};
  };
  for (int i = 0; i < spikes; ++i) {
    const Point a = corner(i);
    const Point b = corner((i + 1) % spikes);
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double along = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
    nearest = std::min(nearest, std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy));
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / dy * dx) inside = !inside;
  }
  return inside ? -nearest : nearest;
}

double box(Point p, double half_width, double half_height) {
  const double dx = std::abs(p.x) - half_width;
  const double dy = std::abs(p.y) - half_height;
  return std::hypot(std::max(dx, 0.0), std::max(dy, 0.0)) + std::min(std::max(dx, dy), 0.0);
}

/// Signed distance to the edge of figure `shape`, negative inside; the figure fills the unit circle.
double distance_to(int shape, Point p) {
  const double r = std::hypot(p.x, p.y);
  switch (shape) {
    case 0: return std::abs(box(p, 0.72, 0.72)) - 0.16;                                    // box: a hollow square
    case 1: return r - 0.9;                                                                // circle
    case 2: return std::min(box(p, 0.95, 0.26), box(p, 0.26, 0.95));                       // cross
    case 3: return std::min(std::hypot(p.x - 0.55, p.y), std::hypot(p.x + 0.55, p.y)) - 0.4;  // dots: a pair
    case 4: return box(p, 1.0, 0.24);                                                      // line: a bar
    case 5: return std::max(r - 0.95, 0.72 - std::hypot(p.x - 0.5, p.y));                  // moon
    case 6: return std::abs(r - 0.72) - 0.2;                                               // ring
    case 7: return box(p, 0.76, 0.76);                                                     // square
    case 8: return polygon(p, 5, 1.05, 0.42);                                              // star
    default: return polygon(p, 3, 1.05, 0);                                                // triangle
  }
}

Colour random_colour(Stream& random, double low, double high) { return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)}; }

/// Position, size and rotation of a shape in the image.
struct Pose {
  Point center;
  double radius = 1;  ///< pixels
  double turn = 0;
};

/// The pixel in the figure's own coordinates.
Point place_in(const Pose& pose, double x, double y) {
  const double dx = (x + 0.5 - pose.center.x) / pose.radius;
  const double dy = (y + 0.5 - pose.center.y) / pose.radius;
  return {dx * std::cos(pose.turn) + dy * std::sin(pose.turn), dy * std::cos(pose.turn) - dx * std::sin(pose.turn)};
}

/// Coverage of the pixel by the figure, 0 to 1.
double cover(int shape, const Pose& pose, double x, double y) { return std::clamp(0.5 - distance_to(shape, place_in(pose, x, y)) * pose.radius, 0.0, 1.0); }

/// What is left of a striped figure's colour at a place of it.
double stripe(Point p) {
  constexpr double kPeriod = 0.66;
  return 0.55 + 0.45 * std::cos(2 * kPi * p.x / kPeriod);
}

Pose random_pose(int size, double low, double high, double max_turn, Stream& random) {
  Pose pose;
  pose.radius = size * random.uniform(low, high);
  const double room = std::max(0.0, size / 2.0 - pose.radius - 1);
  pose.center.x = size / 2.0 + random.uniform(-room, room);
  pose.center.y = size / 2.0 + random.uniform(-room, room);
  pose.turn = random.uniform(-max_turn, max_turn);
  return pose;
}

/// A random stroke or blob as a distractor.
struct Clutter {
  Point from;
  Point to;
  double half_width = 1;
  Colour colour{};
};

double cover(const Clutter& clutter, double x, double y) {
  const double dx = clutter.to.x - clutter.from.x;
  const double dy = clutter.to.y - clutter.from.y;
  const double px = x + 0.5 - clutter.from.x;
  const double py = y + 0.5 - clutter.from.y;
  const double along = std::clamp((px * dx + py * dy) / std::max(1e-9, dx * dx + dy * dy), 0.0, 1.0);
  return std::clamp(0.5 + clutter.half_width - std::hypot(px - along * dx, py - along * dy), 0.0, 1.0);
}

Image noisy_image(int size, double noise, Stream& random, const std::function<Colour(int x, int y)>& colour_at) {
  Image image;
  image.width = image.height = size;
  image.rgb.reserve(size_t{3} * static_cast<size_t>(size) * static_cast<size_t>(size));
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const Colour colour = colour_at(x, y);
      for (size_t c = 0; c < 3; ++c) image.rgb.push_back(static_cast<uint8_t>(std::clamp(colour[c] + random.uniform(-noise, noise), 0.0, 255.0)));
    }
  }
  return image;
}

Image draw_easy(int shape, int size, Stream& random) {
  // Bright on dark: the network needs to learn the shapes, but not to separate figure and background.
  const Colour ground = random_colour(random, 10, 130);
  const Colour figure = random_colour(random, 100, 250);
  const Pose pose = random_pose(size, 0.26, 0.44, 0.35, random);
  const double slope_x = random.uniform(-40, 40) / size;
  const double slope_y = random.uniform(-40, 40) / size;
  const double noise = random.uniform(4, 30);
  return noisy_image(size, noise, random, [&](int x, int y) {
    const double share = cover(shape, pose, x, y);
    const double light = slope_x * (x - size / 2.0) + slope_y * (y - size / 2.0);
    Colour colour{};
    for (size_t c = 0; c < 3; ++c) colour[c] = figure[c] * share + (ground[c] + light) * (1 - share);
    return colour;
  });
}

/// Brighter or darker than the background, sometimes barely.
double random_contrast(Stream& random) { return random.uniform(22, 90) * (random.uniform() < 0.5 ? -1 : 1); }

/// A figure of that colour between strokes.
Image draw_among_strokes(int shape, const Colour& ground, const Colour& figure, bool striped, int size, Stream& random) {
  const Pose pose = random_pose(size, 0.2, 0.4, kPi, random);
  std::array<Clutter, 4> clutter{};
  for (auto& one : clutter) {
    one.from = {random.uniform(0, size), random.uniform(0, size)};
    const double length = size * random.uniform(0.05, 0.5);
    const double angle = random.uniform(0, 2 * kPi);
    one.to = {one.from.x + length * std::cos(angle), one.from.y + length * std::sin(angle)};
    one.half_width = size * random.uniform(0.015, 0.05);
    one.colour = random_colour(random, 20, 235);
  }
  const double slope_x = random.uniform(-90, 90) / size;
  const double slope_y = random.uniform(-90, 90) / size;
  const double noise = random.uniform(15, 55);
  return noisy_image(size, noise, random, [&](int x, int y) {
    const double share = cover(shape, pose, x, y) * (striped ? stripe(place_in(pose, x, y)) : 1.0);
    const double light = slope_x * (x - size / 2.0) + slope_y * (y - size / 2.0);
    Colour colour{};
    for (size_t c = 0; c < 3; ++c) colour[c] = figure[c] * share + ground[c] * (1 - share) + light;
    for (const auto& one : clutter) {  // may cover the figure
      const double hidden = cover(one, x, y);
      for (size_t c = 0; c < 3; ++c) colour[c] = one.colour[c] * hidden + colour[c] * (1 - hidden);
    }
    return colour;
  });
}

Image draw_hard(int shape, int size, Stream& random) {
  const Colour ground = random_colour(random, 40, 215);
  Colour figure{};
  const double contrast = random_contrast(random);
  for (size_t c = 0; c < 3; ++c) figure[c] = ground[c] + contrast + random.uniform(-20, 20);
  return draw_among_strokes(shape, ground, figure, false, size, random);
}

/// Colours of `classes100`: what is added to a grey.
struct Hue {
  const char* name;
  Colour direction;
};
constexpr std::array<Hue, 5> kHues = {{{"blue", {-0.5, -0.5, 1}}, {"green", {-0.5, 1, -0.5}}, {"purple", {0.5, -1, 0.5}}, {"red", {1, -0.5, -0.5}}, {"yellow", {0.5, 0.5, -1}}}};
constexpr std::array<const char*, 2> kFills = {"plain", "striped"};

Image draw_one_of_100(int label, int size, Stream& random) {
  const auto fills = static_cast<int>(kFills.size());
  const auto hues = static_cast<int>(kHues.size());
  const Hue& hue = kHues[static_cast<size_t>(label / fills % hues)];
  const Colour ground = random_colour(random, 40, 215);
  const double grey = (ground[0] + ground[1] + ground[2]) / 3 + random_contrast(random);
  const double strength = random.uniform(35, 95);
  Colour figure{};
  for (size_t c = 0; c < 3; ++c) figure[c] = grey + strength * hue.direction[c] + random.uniform(-20, 20);
  return draw_among_strokes(label / fills / hues, ground, figure, label % fills == 1, size, random);
}

std::vector<std::string> names_of_100(const std::vector<std::string>& figures) {
  std::vector<std::string> names;
  for (const auto& figure : figures) {
    for (const auto& hue : kHues) {
      for (const char* fill : kFills) names.push_back(figure + "-" + hue.name + "-" + fill);
    }
  }
  return names;
}

}  // namespace

const std::vector<std::string>& shape_task_names() {
  static const std::vector<std::string> names = {"easy", "hard", "classes100"};
  return names;
}

const std::vector<std::string>& shape_names(ShapeTask task) {
  static const std::vector<std::string> figures = {"box", "circle", "cross", "dots", "line", "moon", "ring", "square", "star", "triangle"};
  static const std::vector<std::string> hundred = names_of_100(figures);
  return task == ShapeTask::classes100 ? hundred : figures;
}

Image draw_shape(ShapeTask task, int label, int size, Stream& random) {
  switch (task) {
    case ShapeTask::easy: return draw_easy(label, size, random);
    case ShapeTask::hard: return draw_hard(label, size, random);
    case ShapeTask::classes100: break;
  }
  return draw_one_of_100(label, size, random);
}

}  // namespace ringlab
