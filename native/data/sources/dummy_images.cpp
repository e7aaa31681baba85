#include "data/sources/dummy_images.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"

namespace ringlab {

DummyImages::DummyImages(int64_t count, int edge, int64_t classes, uint64_t seed) : count_(count), edge_(edge), seed_(seed) {
  for (int64_t i = 0; i < classes; ++i) classes_.push_back(std::to_string(i));
}

int32_t DummyImages::label(int64_t index) const {
  Stream random({seed_, static_cast<uint64_t>(index), 1});
  return static_cast<int32_t>(random.below(static_cast<int64_t>(classes_.size())));
}

StoredImage DummyImages::read(int64_t index) const {
  Stream random({seed_, static_cast<uint64_t>(index), 0});
  const auto edge = static_cast<size_t>(edge_);
  Image image{edge_, edge_, std::vector<uint8_t>(3 * edge * edge)};
  for (size_t at = 0; at < image.rgb.size(); at += sizeof(uint64_t)) {
    const uint64_t noise = random.next();
    std::memcpy(image.rgb.data() + at, &noise, std::min(sizeof noise, image.rgb.size() - at));
  }
  return image;
}

}  // namespace ringlab
