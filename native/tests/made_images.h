// Shared by tests that build images: noise to fill them, and code that reads them.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/pixels/transforms.h"
#include "tests/fuzz.h"

namespace ringlab {

/// Both recipes, colour and grey. Refusals are BrokenImage with a message.
inline void take_image(const std::string& bytes) {
  const StoredImage image = std::vector<uint8_t>(bytes.begin(), bytes.end());
  for (const InputShape shape : {InputShape{32, 3}, InputShape{72, 1}}) {
    std::vector<float> out(shape.floats());
    Transformer transformer(shape);
    for (const bool training : {true, false}) {
      try {
        Stream random({bytes.size()});
        if (training) transformer.train(image, random, out.data());
        else transformer.validate(image, out.data());
      } catch (const BrokenImage& error) {
        EXPECT_FALSE(std::string(error.what()).empty());
      }
    }
  }
}

inline std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 1);
  out.resize(size);
  return out;
}

inline std::string noise(size_t count, Stream& random) {
  std::string out;
  while (out.size() < count) out += little_endian(random.next(), 8);
  out.resize(count);
  return out;
}

}  // namespace ringlab
