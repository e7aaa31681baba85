// A decoded image, and decoders for the formats that an ImageFolder may contain.
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

/// As above, with its own pixels.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;

  ImageView view() const { return {width, height, rgb.data()}; }
};

/// A file that is not an image, or a damaged one. The loader catches it, warns and counts.
struct BrokenImage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ImageSize {
  int width = 0;
  int height = 0;
};

/// Larger sizes in a header are treated as damage, or as an attack on the decoding thread's memory (pixels): twice Pillow's
/// Image.MAX_IMAGE_PIXELS, up to which Pillow only warns.
constexpr int64_t kMaxPixels = 2 * int64_t{89'478'485};

/// Per edge: JPEG's own limit. For a very long edge the shrinking filter needs as much memory as the pixels.
constexpr int64_t kMaxEdge = 65'535;

/// "PNG: its header claims 30000 x 30000 pixels; at most 178956970 are read". Throws BrokenImage if the size is too large.
void check_pixels(const char* format, int64_t width, int64_t height);

/// Width and height from the header. Throws BrokenImage.
ImageSize jpeg_size(const std::vector<uint8_t>& bytes);

/// Decodes to RGB at 1/`denominator` of the size (1, 2, 4 or 8; the edges are rounded up). Grey and CMYK are converted to RGB as
/// in Pillow; EXIF orientation is ignored, as in torchvision. Throws BrokenImage, also for a truncated file.
Image decode_jpeg(const std::vector<uint8_t>& bytes, int denominator = 1);

/// Encodes as a baseline JPEG with 4:4:4 chroma. The bytes depend on the pixels, the quality and libjpeg's version only.
std::vector<uint8_t> encode_jpeg(const Image& image, int quality);

/// Each returns bit for bit what Pillow 9.4 returns for `Image.open(file).convert("RGB")`: no colour management, alpha is
/// dropped, grey of more than 8 bits is clipped at 255, and of several frames or pages the first is used. Throws BrokenImage,
/// also for a truncated file.
Image decode_png(const std::vector<uint8_t>& bytes);
Image decode_bmp(const std::vector<uint8_t>& bytes);
Image decode_netpbm(const std::vector<uint8_t>& bytes);
Image decode_tiff(const std::vector<uint8_t>& bytes);
Image decode_webp(const std::vector<uint8_t>& bytes);
Image decode_gif(const std::vector<uint8_t>& bytes);

/// Was the trainer built with libtiff, with libwebp? If not, decode_…() throws BrokenImage with this reason.
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

/// Maximum size of an image file, or of one of CIFAR's files (150 MB).
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

/// The whole file. Throws BrokenImage with the system's error message.
std::vector<uint8_t> read_file_bytes(const std::string& path);

}  // namespace ringlab
