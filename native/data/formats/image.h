// A decoded picture, and the decoders for the formats that an ImageFolder may hold.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringlab {

/// 8-bit RGB, rows from the top, no padding: pixel (x, y) starts at rgb[3 * (y * width + x)]. Does not own its pixels.
struct ImageView {
  int width = 0;
  int height = 0;
  const uint8_t* rgb = nullptr;
};

/// The same with pixels of its own.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;

  ImageView view() const { return {width, height, rgb.data()}; }
};

/// A file that is no picture, or a damaged one. The loader catches it, warns and counts.
struct BrokenImage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ImageSize {
  int width = 0;
  int height = 0;
};

/// Larger pictures than this in a header are taken as damage, or as an attack on the memory of the thread that decodes them
/// (pixels): Pillow's Image.MAX_IMAGE_PIXELS.
constexpr int64_t kMaxPixels = 89'478'485;

/// Along an edge: JPEG's own limit. One that is very long takes as much for the filter that makes it short as for its pixels.
constexpr int64_t kMaxEdge = 65'535;

/// "PNG: its header claims 30000 x 30000 pixels; at most 89478485 are read". Throws nothing where the size is fine, else BrokenImage.
void check_pixels(const char* format, int64_t width, int64_t height);

/// Width and height from the header alone. Throws BrokenImage.
ImageSize jpeg_size(const std::vector<uint8_t>& bytes);

/// Decodes to RGB at 1/`denominator` of the size (1, 2, 4 or 8; the edges are rounded up). Grey and CMYK become RGB as in Pillow;
/// EXIF orientation is ignored, as torchvision does. Throws BrokenImage, also for a truncated file.
Image decode_jpeg(const std::vector<uint8_t>& bytes, int denominator = 1);

/// Encodes as a baseline JPEG with 4:4:4 chroma. The bytes depend on the pixels, the quality and libjpeg's version alone.
std::vector<uint8_t> encode_jpeg(const Image& image, int quality);

/// Each gives what Pillow 9.4 gives for `Image.open(file).convert("RGB")`, to the bit: no colour is managed, alpha is dropped, grey of
/// more than 8 bits is clipped at 255, of several frames or pages the first is taken. Throws BrokenImage, also for a truncated file.
Image decode_png(const std::vector<uint8_t>& bytes);
Image decode_bmp(const std::vector<uint8_t>& bytes);
Image decode_netpbm(const std::vector<uint8_t>& bytes);
Image decode_tiff(const std::vector<uint8_t>& bytes);
Image decode_webp(const std::vector<uint8_t>& bytes);
Image decode_gif(const std::vector<uint8_t>& bytes);

/// Was the trainer built with libtiff, with libwebp? Without, decode_…() throws BrokenImage that says so.
bool reads_tiff();
bool reads_webp();

/// By the file's first bytes.
bool is_jpeg(const std::vector<uint8_t>& bytes);
bool is_png(const std::vector<uint8_t>& bytes);
bool is_bmp(const std::vector<uint8_t>& bytes);
bool is_netpbm(const std::vector<uint8_t>& bytes);
bool is_tiff(const std::vector<uint8_t>& bytes);
bool is_webp(const std::vector<uint8_t>& bytes);
bool is_gif(const std::vector<uint8_t>& bytes);

/// Of one picture, or one of CIFAR's files (150 MB).
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

/// The whole file. Throws BrokenImage with the system's words.
std::vector<uint8_t> read_file_bytes(const std::string& path);

}  // namespace ringlab
