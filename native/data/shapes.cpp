#include "data/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringlab {
namespace {

using Colour = std::array<double, 3>;

struct Point {
  double x = 0;
  double y = 0;
};

constexpr double kPi = 3.14159265358979323846;

/// Distance to the edge of a regular polygon or star given by its corners' radii, negative inside; unit size.
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

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"box", "circle", "cross", "dots", "line", "moon", "ring", "square", "star", "triangle"};
  return names;
}

Image draw_shape(int shape, int size, Stream& random) {
  // Bright on dark: a network learns the figures, not first of all to tell figure from ground.
  const Colour ground = random_colour(random, 10, 130);
  const Colour figure = random_colour(random, 100, 250);
  const double radius = size * random.uniform(0.26, 0.44);
  const double room = std::max(0.0, size / 2.0 - radius - 1);
  const Point center{size / 2.0 + random.uniform(-room, room), size / 2.0 + random.uniform(-room, room)};
  const double turn = random.uniform(-0.35, 0.35);
  const double slope_x = random.uniform(-40, 40) / size;
  const double slope_y = random.uniform(-40, 40) / size;
  const double noise = random.uniform(4, 30);
  Image image;
  image.width = image.height = size;
  image.rgb.reserve(size_t{3} * static_cast<size_t>(size) * static_cast<size_t>(size));
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const double dx = (x + 0.5 - center.x) / radius;
      const double dy = (y + 0.5 - center.y) / radius;
      const Point p{dx * std::cos(turn) + dy * std::sin(turn), dy * std::cos(turn) - dx * std::sin(turn)};
      const double cover = std::clamp(0.5 - distance_to(shape, p) * radius, 0.0, 1.0);
      const double light = slope_x * (x - size / 2.0) + slope_y * (y - size / 2.0);
      for (size_t c = 0; c < 3; ++c) {
        const double value = figure[c] * cover + (ground[c] + light) * (1 - cover) + random.uniform(-noise, noise);
        image.rgb.push_back(static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)));
      }
    }
  }
  return image;
}

}  // namespace ringlab
