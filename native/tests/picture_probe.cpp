// picture_probe decode                     what the decoders make of files whose paths come on standard input, one a line
// picture_probe validate|train SIZE DRAFT  the same files through a transform; DRAFT is 0 or 1; the draws' key is (1, 2, number of the file)
// picture_probe make FOLDER                JPEGs of the kinds that Pillow does not write
// picture_probe list FOLDER                an ImageFolder's pictures: label, path, each ended by a zero byte
//
// For each file one line, `ok WIDTH HEIGHT` and WIDTH * HEIGHT * 3 bytes, or `broken WORDS`. Of a transform: `ok LEFT TOP WIDTH HEIGHT FLIP`
// (of the crop; validation has none) and 3 * SIZE * SIZE floats. e2e_pictures.py compares them with Pillow's.
#include <cstdio>
// jpeglib.h wants FILE and size_t before it.
#include <jpeglib.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "data/formats/picture_formats.h"
#include "data/pixels/transforms.h"
#include "data/sources/image_folder.h"

namespace ringlab {
namespace {

void put(const void* bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, stdout) != count) throw std::runtime_error("standard output");
}

void decode(const std::string& path) {
  const Image image = decode_picture(read_file_bytes(path));
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
    const Crop crop = random_resized_crop(picture_size(bytes), again);
    std::printf("ok %d %d %d %d %d\n", crop.left, crop.top, crop.width, crop.height, again.uniform() < 0.5 ? 1 : 0);
  } else {
    transformer.validate(bytes, out.data());
    std::printf("ok 0 0 0 0 0\n");
  }
  put(out.data(), out.size() * sizeof(float));
}

struct Kind {
  const char* name;
  J_COLOR_SPACE from = JCS_RGB;
  J_COLOR_SPACE inside = JCS_YCbCr;
  int luma_across = 1;
  int luma_down = 1;
  int chroma_across = 1;
  int chroma_down = 1;
  bool arithmetic = false;
  bool progressive = false;
  bool marker = true;  ///< JFIF's or Adobe's
  unsigned restart = 0;
};

/// Slopes, rings and noise.
void encode(const Kind& kind, const std::string& path, int width, int height) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = kind.from == JCS_GRAYSCALE ? 1 : kind.from == JCS_CMYK ? 4 : 3;
  info.in_color_space = kind.from;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, kind.inside);
  jpeg_set_quality(&info, 85, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    const bool chroma = i == 1 || i == 2;
    info.comp_info[i].h_samp_factor = chroma ? kind.chroma_across : kind.luma_across;
    info.comp_info[i].v_samp_factor = chroma ? kind.chroma_down : kind.luma_down;
  }
  info.restart_interval = kind.restart;
  if (kind.progressive) jpeg_simple_progression(&info);
  info.arith_code = kind.arithmetic ? TRUE : FALSE;
  if (!kind.marker) info.write_JFIF_header = info.write_Adobe_marker = FALSE;
  jpeg_start_compress(&info, TRUE);
  Stream random({static_cast<uint64_t>(width)});
  std::vector<uint8_t> row(static_cast<size_t>(width * info.input_components));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < info.input_components; ++c) {
        const int ring = ((x - 40) * (x - 40) + (y - 30) * (y - 30)) / 50 % 2 * 80;
        row[static_cast<size_t>(x * info.input_components + c)] = static_cast<uint8_t>((ring + c * 60 + 2 * x + y * (c + 1) + static_cast<int>(random.below(40))) & 255);
      }
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(out), static_cast<std::streamsize>(size));
  std::free(out);
}

void make(const std::string& folder) {
  const Kind kinds[] = {
      {"444"}, {"422", JCS_RGB, JCS_YCbCr, 2, 1}, {"420", JCS_RGB, JCS_YCbCr, 2, 2}, {"440", JCS_RGB, JCS_YCbCr, 1, 2}, {"411", JCS_RGB, JCS_YCbCr, 4, 1},
      {"410", JCS_RGB, JCS_YCbCr, 4, 2}, {"441", JCS_RGB, JCS_YCbCr, 1, 4}, {"coarse-luma", JCS_RGB, JCS_YCbCr, 1, 1, 2, 2}, {"3-to-1", JCS_RGB, JCS_YCbCr, 3, 1},
      {"mixed", JCS_RGB, JCS_YCbCr, 2, 1, 1, 1}, {"grey-2x2", JCS_GRAYSCALE, JCS_GRAYSCALE, 2, 2}, {"grey", JCS_GRAYSCALE, JCS_GRAYSCALE},
      {"rgb-adobe", JCS_RGB, JCS_RGB}, {"rgb-bare", JCS_RGB, JCS_RGB, 1, 1, 1, 1, false, false, false}, {"ycc-bare", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, false, false},
      {"cmyk-adobe", JCS_CMYK, JCS_CMYK}, {"cmyk-bare", JCS_CMYK, JCS_CMYK, 1, 1, 1, 1, false, false, false}, {"ycck", JCS_CMYK, JCS_YCCK}, {"ycck-420", JCS_CMYK, JCS_YCCK, 2, 2},
      {"ycck-bare", JCS_CMYK, JCS_YCCK, 1, 1, 1, 1, false, false, false}, {"progressive", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, true}, {"progressive-cmyk", JCS_CMYK, JCS_YCCK, 1, 1, 1, 1, false, true},
      {"arithmetic", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, true}, {"arithmetic-progressive", JCS_RGB, JCS_YCbCr, 2, 1, 1, 1, true, true}, {"arithmetic-grey", JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 1, 1, 1, true},
      {"restarts", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, false, true, 3}, {"restarts-progressive", JCS_RGB, JCS_YCbCr, 1, 1, 1, 1, false, true, true, 5},
  };
  for (const Kind& kind : kinds) {
    for (const auto& [width, height] : {std::pair{149, 117}, std::pair{33, 16}, std::pair{7, 50}, std::pair{1, 1}}) {
      encode(kind, folder + "/" + kind.name + "-" + std::to_string(width) + "x" + std::to_string(height) + ".jpg", width, height);
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
  if (!transforms && !(what == "decode" && arguments.size() == 1)) throw std::runtime_error("usage: picture_probe decode | validate|train SIZE DRAFT | make FOLDER | list FOLDER");
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
    std::fprintf(stderr, "picture_probe: %s\n", error.what());
    return 1;
  }
}
