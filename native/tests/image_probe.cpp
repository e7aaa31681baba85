// image_probe decode                     what the decoders make of files whose paths come on standard input, one a line
// image_probe validate|train SIZE DRAFT  the same files through a transform; DRAFT is 0 or 1; the draws' key is (1, 2, number of the file)
// image_probe make FOLDER                JPEGs of the kinds that Pillow does not write
// image_probe list FOLDER                an ImageFolder's images: label, path, each ended by a zero byte
//
// For each file one line, `ok WIDTH HEIGHT` and WIDTH * HEIGHT * 3 bytes, or `broken WORDS`. Of a transform: `ok LEFT TOP WIDTH HEIGHT FLIP`
// (of the crop; validation has none) and 3 * SIZE * SIZE floats. e2e_images.py compares them with Pillow's.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "data/formats/image_formats.h"
#include "data/pixels/transforms.h"
#include "data/sources/image_folder.h"
#include "tests/jpeg_kinds.h"

namespace ringlab {
namespace {

void put(const void* bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, stdout) != count) throw std::runtime_error("standard output");
}

void decode(const std::string& path) {
  const Image image = decode_image(read_file_bytes(path));
  std::printf("ok %d %d\n", image.width, image.height);
  put(image.rgb.data(), image.rgb.size());
}

void transform(Transformer& transformer, const std::string& path, int size, bool training, uint64_t number) {
  const std::vector<uint8_t> bytes = read_file_bytes(path);
  std::vector<float> out(size_t{3} * static_cast<size_t>(size) * static_cast<size_t>(size));
  if (training) {
    Stream random({1, 2, number});
    transformer.train(bytes, random, out.data());
    Stream again({1, 2, number});
    const Crop crop = random_resized_crop(image_size(bytes), again);
    std::printf("ok %d %d %d %d %d\n", crop.left, crop.top, crop.width, crop.height, again.uniform() < 0.5 ? 1 : 0);
  } else {
    transformer.validate(bytes, out.data());
    std::printf("ok 0 0 0 0 0\n");
  }
  put(out.data(), out.size() * sizeof(float));
}

void make(const std::string& folder) {
  const JpegKind kinds[] = {
      {"444"}, {"422", JCS_RGB, JCS_YCbCr, 2, 1}, {"420", JCS_RGB, JCS_YCbCr, 2, 2}, {"440", JCS_RGB, JCS_YCbCr, 1, 2}, {"411", JCS_RGB, JCS_YCbCr, 4, 1},
      {"410", JCS_RGB, JCS_YCbCr, 4, 2}, {"441", JCS_RGB, JCS_YCbCr, 1, 4}, {"coarse-luma", JCS_RGB, JCS_YCbCr, 1, 1, 2, 2}, {"3-to-1", JCS_RGB, JCS_YCbCr, 3, 1},
      {"mixed", JCS_RGB, JCS_YCbCr, 2, 1, 1, 1}, {"grey-2x2", JCS_GRAYSCALE, JCS_GRAYSCALE, 2, 2}, {"grey", JCS_GRAYSCALE, JCS_GRAYSCALE},
      {"rgb-adobe", JCS_RGB, JCS_RGB}, {"rgb-bare", JCS_RGB, JCS_RGB, 1, 1, 1, 1, false, false, false}, {"ycc-bare", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, false, false},
      {"cmyk-adobe", JCS_CMYK, JCS_CMYK}, {"cmyk-bare", JCS_CMYK, JCS_CMYK, 1, 1, 1, 1, false, false, false}, {"ycck", JCS_CMYK, JCS_YCCK}, {"ycck-420", JCS_CMYK, JCS_YCCK, 2, 2},
      {"ycck-bare", JCS_CMYK, JCS_YCCK, 1, 1, 1, 1, false, false, false}, {"progressive", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, true}, {"progressive-cmyk", JCS_CMYK, JCS_YCCK, 1, 1, 1, 1, false, true},
      {"arithmetic", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, true}, {"arithmetic-progressive", JCS_RGB, JCS_YCbCr, 2, 1, 1, 1, true, true}, {"arithmetic-grey", JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 1, 1, 1, true},
      {"restarts", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, false, true, 3}, {"restarts-progressive", JCS_RGB, JCS_YCbCr, 1, 1, 1, 1, false, true, true, 5},
  };
  for (const JpegKind& kind : kinds) {
    for (const auto& [width, height] : {std::pair{149, 117}, std::pair{33, 16}, std::pair{7, 50}, std::pair{1, 1}}) {
      const std::string path = folder + "/" + kind.name + "-" + std::to_string(width) + "x" + std::to_string(height) + ".jpg";
      const auto bytes = encode_as(kind, width, height);
      std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }
}

int probe(const std::vector<std::string>& arguments) {
  const std::string what = arguments.empty() ? "" : arguments[0];
  if (what == "make" && arguments.size() == 2) {
    make(arguments[1]);
    return 0;
  }
  if (what == "list" && arguments.size() == 2) {
    const ImageFolder folder(arguments[1]);
    for (int64_t i = 0; i < folder.size(); ++i) {
      const std::string label = std::to_string(folder.label(i));
      const std::string path = folder.name(i);
      put(label.c_str(), label.size() + 1);
      put(path.c_str(), path.size() + 1);
    }
    return 0;
  }
  const bool transforms = (what == "validate" || what == "train") && arguments.size() == 3;
  if (!transforms && !(what == "decode" && arguments.size() == 1)) throw std::runtime_error("usage: image_probe decode | validate|train SIZE DRAFT | make FOLDER | list FOLDER");
  const int size = transforms ? std::stoi(arguments[1]) : 0;
  Transformer transformer({size, 3}, transforms && arguments[2] == "1");
  std::string path;
  for (uint64_t number = 0; std::getline(std::cin, path); ++number) {
    try {
      if (transforms) transform(transformer, path, size, what == "train", number);
      else decode(path);
    } catch (const BrokenImage& error) {
      std::printf("broken %s\n", error.what());
    }
  }
  return 0;
}

}  // namespace
}  // namespace ringlab

int main(int argc, char** argv) {
  try {
    return ringlab::probe(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const ringlab::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return failure.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "image_probe: %s\n", error.what());
    return 1;
  }
}
