// TIFF (revision 6.0, BigTIFF too) through libtiff, as read by Pillow: the first page, rotated by its orientation.
#include "data/formats/image.h"

#ifdef RINGLAB_TIFF
#include <algorithm>
#include <cstdint>
#include <memory>

#include "data/formats/tiff_layout.h"
#include "data/formats/tiff_library.h"
#endif

namespace ringlab {

#ifdef RINGLAB_TIFF
namespace {

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("TIFF: " + what); }

template <typename Number>
unsigned tag(TIFF* tiff, uint32_t name, unsigned otherwise) {
  Number value{};
  return libtiff().GetField(tiff, name, &value) == 1 ? unsigned{value} : otherwise;
}

/// The page that is being read.
class Page {
 public:
  Page(TIFF* tiff, const TiffSource& file) : tiff_(tiff), file_(file) {
    width_ = tag<uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
    height_ = tag<uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
    check_pixels("TIFF", width_, height_);
    compression_ = tag<uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    planes_apart_ = tag<uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    TiffTags tags;
    tags.photometric = compression_ == COMPRESSION_OJPEG ? unsigned{PHOTOMETRIC_YCBCR} : tag<uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, 0);
    tags.sample_format = tag<uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, 1);
    tags.fill_order = tag<uint16_t>(tiff, TIFFTAG_FILLORDER, 1);
    tags.bits = tag<uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    tags.samples = tag<uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, compression_ == COMPRESSION_OJPEG ? 3 : 1);
    tags.big_endian = libtiff().IsBigEndian(tiff) != 0;
    tags.compressed = compression_ != COMPRESSION_NONE;
    tags.planes_apart = planes_apart_;
    uint16_t count = 0;
    uint16_t* extra = nullptr;
    if (libtiff().GetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &extra) == 1) tags.extra.assign(extra, extra + count);
    const auto layout = tiff_layout(tags);
    if (!layout || !known_compression()) broken("pixels of a kind that is not read");
    layout_ = *layout;
    ycbcr_ = tags.photometric == PHOTOMETRIC_YCBCR;
    if (layout_.pixels == TiffPixels::index) read_palette();
  }

  Image read() {
    Image image{static_cast<int>(width_), static_cast<int>(height_), {}};
    image.rgb.resize(size_t{3} * width_ * height_);
    if (ycbcr_ && compression_ == COMPRESSION_JPEG && !planes_apart_) {
      libtiff().SetField(tiff_, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      ycbcr_ = false;
    }
    if (ycbcr_) read_by_libtiff(image);
    else if (libtiff().IsTiled(tiff_) != 0) read_tiles(image);
    else read_strips(image);
    return turned(std::move(image));
  }

 private:
  [[noreturn]] void fail() const { broken(file_.message.empty() ? "is damaged or cut off" : file_.message); }

  bool known_compression() const {
    static constexpr unsigned kKnown[] = {1, 2, 3, 4, 5, 6, 7, 8, 32771, 32773, 32809, 32946, 34925, 50000, 50001};
    return std::find(std::begin(kKnown), std::end(kKnown), compression_) != std::end(kKnown) && libtiff().IsCODECConfigured(static_cast<uint16_t>(compression_)) != 0;
  }

  void read_palette() {
    uint16_t* levels[3] = {};
    if (libtiff().GetField(tiff_, TIFFTAG_COLORMAP, &levels[0], &levels[1], &levels[2]) != 1) broken("its palette is missing");
    for (size_t i = 0; i < size_t{1} << layout_.bits; ++i) {
      for (size_t c = 0; c < 3; ++c) palette_.rgb[i][c] = static_cast<uint8_t>(levels[c][i] / 256);
    }
  }

  /// Allocates a strip or tile of `rows` rows of `pixels`; libtiff's size must not be larger.
  void make_room(tmsize_t block, tmsize_t row, size_t pixels, size_t rows) {
    const size_t expected = (pixels * layout_.bits_a_pixel() / planes() + 7) / 8;
    if (block <= 0 || row <= 0 || static_cast<size_t>(row) < expected) fail();
    if (block > kMaxTiffBlockBytes) broken("a strip or tile of " + std::to_string(block) + " bytes");
    if (static_cast<size_t>(block) > expected * rows || static_cast<size_t>(block) / static_cast<size_t>(row) < rows) fail();
    block_.resize(static_cast<size_t>(block));
  }

  size_t planes() const { return planes_apart_ ? layout_.samples : 1; }

  /// Copies `rows` rows of plane `plane` from block_ to (left, top).
  void put(Image& image, size_t plane, size_t left, size_t top, size_t columns, size_t rows, size_t stride) {
    for (size_t y = 0; y < rows; ++y) {
      const uint8_t* row = block_.data() + y * stride;
      uint8_t* out = image.rgb.data() + 3 * ((top + y) * width_ + left);
      if (planes() == 1) {
        unpack_tiff(layout_, palette_, row, columns, out);
        continue;
      }
      // The upper byte of 16 bits, as for interleaved samples.
      const size_t bytes = layout_.bits / 8;
      uint8_t* to = apart_.data() + layout_.samples * ((top + y) * width_ + left) + plane;
      for (size_t x = 0; x < columns; ++x) to[layout_.samples * x] = row[bytes * x + bytes - 1];
    }
  }

  void start_planes() {
    if (planes() == 1) return;
    if (layout_.bits != 8 && layout_.bits != 16) broken("planes of " + std::to_string(layout_.bits) + " bits");
    if (layout_.samples > 4) broken(std::to_string(layout_.samples) + " planes");
    apart_.resize(size_t{layout_.samples} * width_ * height_);
  }

  void join_planes(Image& image) {
    if (planes() == 1) return;
    TiffLayout together = layout_;
    together.bits = 8;
    unpack_tiff(together, palette_, apart_.data(), size_t{width_} * height_, image.rgb.data());
    apart_ = {};
  }

  void read_strips(Image& image) {
    const uint32_t rows_a_strip = std::min(tag<uint32_t>(tiff_, TIFFTAG_ROWSPERSTRIP, height_), height_);
    if (rows_a_strip == 0) fail();
    const tmsize_t stride = libtiff().ScanlineSize(tiff_);
    make_room(libtiff().StripSize(tiff_), stride, width_, rows_a_strip);
    start_planes();
    for (uint32_t top = 0; top < height_; top += rows_a_strip) {
      const uint32_t rows = std::min(rows_a_strip, height_ - top);
      for (size_t plane = 0; plane < planes(); ++plane) {
        if (libtiff().ReadEncodedStrip(tiff_, libtiff().ComputeStrip(tiff_, top, static_cast<uint16_t>(plane)), block_.data(), static_cast<tmsize_t>(block_.size())) < 0) fail();
        put(image, plane, 0, top, width_, rows, static_cast<size_t>(stride));
      }
    }
    join_planes(image);
  }

  void read_tiles(Image& image) {
    const uint32_t across = tag<uint32_t>(tiff_, TIFFTAG_TILEWIDTH, 0);
    const uint32_t down = tag<uint32_t>(tiff_, TIFFTAG_TILELENGTH, 0);
    if (across == 0 || down == 0) fail();
    const tmsize_t stride = libtiff().TileRowSize(tiff_);
    make_room(libtiff().TileSize(tiff_), stride, across, down);
    start_planes();
    for (uint64_t top = 0; top < height_; top += down) {
      for (size_t plane = 0; plane < planes(); ++plane) {
        for (uint64_t left = 0; left < width_; left += across) {
          if (libtiff().ReadTile(tiff_, block_.data(), static_cast<uint32_t>(left), static_cast<uint32_t>(top), 0, static_cast<uint16_t>(plane)) < 0) fail();
          put(image, plane, left, top, std::min<size_t>(across, width_ - left), std::min<size_t>(down, height_ - top), static_cast<size_t>(stride));
        }
      }
    }
    join_planes(image);
  }

  /// YCbCr, converted to RGB by libtiff.
  void read_by_libtiff(Image& image) {
    char words[1024] = "";
    TIFFRGBAImage rgba;
    if (libtiff().RGBAImageOK(tiff_, words) == 0 || libtiff().RGBAImageBegin(&rgba, tiff_, 0, words) == 0) broken(words);
    const std::unique_ptr<TIFFRGBAImage, decltype(&TIFFRGBAImageEnd)> ended(&rgba, libtiff().RGBAImageEnd);
    rgba.req_orientation = ORIENTATION_TOPLEFT;
    rgba.col_offset = 0;
    uint32_t rows_a_block = height_;
    libtiff().GetFieldDefaulted(tiff_, libtiff().IsTiled(tiff_) != 0 ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows_a_block);
    rows_a_block = std::min(rows_a_block, height_);
    if (rows_a_block == 0) fail();
    std::vector<uint32_t> pixels(size_t{width_} * rows_a_block);
    for (uint32_t top = 0; top < height_; top += rows_a_block) {
      const uint32_t rows = std::min(rows_a_block, height_ - top);
      rgba.row_offset = static_cast<int>(top);
      if (libtiff().RGBAImageGet(&rgba, pixels.data(), width_, rows) == 0) fail();
      uint8_t* out = image.rgb.data() + size_t{3} * top * width_;
      for (size_t i = 0; i < size_t{width_} * rows; ++i, out += 3) {
        out[0] = TIFFGetR(pixels[i]);
        out[1] = TIFFGetG(pixels[i]);
        out[2] = TIFFGetB(pixels[i]);
      }
    }
  }

  /// Rotates by its orientation (2 to 8; 5 to 8 swap the edges).
  Image turned(Image image) const {
    const unsigned orientation = tag<uint16_t>(tiff_, TIFFTAG_ORIENTATION, 1);
    if (orientation < 2 || orientation > 8) return image;
    const bool exchanged = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const auto width = static_cast<size_t>(image.width);
    const auto height = static_cast<size_t>(image.height);
    Image out{exchanged ? image.height : image.width, exchanged ? image.width : image.height, std::vector<uint8_t>(image.rgb.size())};
    const auto out_width = static_cast<size_t>(out.width);
    for (size_t y = 0; y < static_cast<size_t>(out.height); ++y) {
      for (size_t x = 0; x < out_width; ++x) {
        const size_t column = exchanged ? y : x;
        const size_t row = exchanged ? x : y;
        const size_t from = (from_below ? height - 1 - row : row) * width + (from_right ? width - 1 - column : column);
        put_colour(image.rgb.data() + 3 * from, out.rgb.data() + 3 * (y * out_width + x));
      }
    }
    return out;
  }

  TIFF* tiff_;
  const TiffSource& file_;
  uint32_t width_ = 0;
  uint32_t height_ = 0;
  unsigned compression_ = 0;
  bool planes_apart_ = false;
  bool ycbcr_ = false;
  TiffLayout layout_;
  Palette palette_;
  std::vector<uint8_t> block_;
  std::vector<uint8_t> apart_;  ///< separate planes, interleaved: one byte per sample
};

}  // namespace

Image decode_tiff(const std::vector<uint8_t>& bytes) {
  if (!reads_tiff()) broken(std::string(kTiffLibrary) + " is not on this machine; install libtiff");
  TiffSource file{bytes.data(), bytes.size(), 0, {}};
  const Tiff tiff = open_tiff(file);
  if (!tiff) broken(file.message.empty() ? "is damaged or cut off" : file.message);
  return Page(tiff.get(), file).read();
}
#else
Image decode_tiff(const std::vector<uint8_t>&) { throw BrokenImage("TIFF: this trainer was built without libtiff; install libtiff-dev and build it again"); }
#endif

bool reads_tiff() {
#ifdef RINGLAB_TIFF
  return libtiff().library.complete();
#else
  return false;
#endif
}

bool is_tiff(const std::vector<uint8_t>& bytes) {
  if (bytes.size() < 8 || bytes[0] != bytes[1]) return false;
  if (bytes[0] == 'I') return (bytes[2] == 42 || bytes[2] == 43) && bytes[3] == 0;
  return bytes[0] == 'M' && bytes[2] == 0 && bytes[3] == 42;  // no big-endian BigTIFF, as in Pillow
}

}  // namespace ringlab
