// GIF (87a and 89a; CompuServe, "Graphics Interchange Format", 1990), the first frame as read by Pillow. ImageFolder lists no
// such names, but files with other names often contain it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "data/formats/image.h"
#include "data/formats/pillow_pixels.h"

namespace ringlab {
namespace {

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("GIF: " + what); }

class Reader {
 public:
  explicit Reader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  const uint8_t* take(size_t count) {
    if (bytes_.size() - at_ < count) broken("is cut off");
    at_ += count;
    return bytes_.data() + at_ - count;
  }
  uint8_t byte() { return *take(1); }

  struct Block {
    const uint8_t* data = nullptr;
    size_t size = 0;
  };
  /// The next sub-block; empty at their end.
  Block block() {
    if (at_end()) return {};
    const size_t size = std::min<size_t>(byte(), bytes_.size() - at_);
    return {take(size), size};
  }
  void skip_blocks() {
    while (block().size > 0) {
    }
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

int number_at(const uint8_t* p) { return p[0] | p[1] << 8; }

void read_palette(Reader& file, unsigned flags, Palette& palette) {
  const size_t colours = size_t{2} << (flags & 7U);
  const uint8_t* p = file.take(3 * colours);
  for (size_t i = 0; i < colours; ++i) put_colour(p + 3 * i, palette.rgb[i]);
}

/// Parses one extension after its '!', for the index of the transparent colour.
void read_extension(Reader& file, std::optional<uint8_t>& transparent) {
  constexpr uint8_t kControl = 0xF9;
  constexpr uint8_t kComment = 0xFE;
  constexpr uint8_t kApplication = 0xFF;
  const uint8_t label = file.byte();
  const Reader::Block block = file.block();
  if (label == kControl) {
    if (block.size < 3 || ((block.data[0] & 1U) != 0 && block.size < 4)) broken("its control block is damaged");
    if ((block.data[0] & 1U) != 0) transparent = block.data[3];
  }
  if (label == kComment && block.size == 0) return;
  if (label == kApplication) {
    if (block.size == 0) broken("an extension is damaged");
    if (block.size >= 11 && std::memcmp(block.data, "NETSCAPE2.0", 11) == 0 && file.block().size == 0) broken("an extension is damaged");
  }
  file.skip_blocks();
}

/// A frame's rectangle on the canvas, and whether its rows are interlaced.
struct Frame {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool interlaced = false;
};

/// Iterates over the positions of a frame's pixels.
class Cursor {
 public:
  Cursor(const Frame& frame, int canvas_width, uint8_t* canvas) : frame_(frame), canvas_width_(static_cast<size_t>(canvas_width)), canvas_(canvas), step_(frame.interlaced ? 8 : 1), pass_(frame.interlaced ? 1 : 0) { begin_row(); }

  /// False if the frame is full.
  bool put(uint8_t index) {
    row_[x_] = index;
    if (++x_ < frame_.width) return true;
    x_ = 0;
    y_ += step_;
    while (y_ >= frame_.height) {
      if (pass_ == 0) return false;
      constexpr std::array<std::array<int, 2>, 3> kPasses = {{{4, 8}, {2, 4}, {1, 2}}};  // first row, distance
      y_ = kPasses[static_cast<size_t>(pass_ - 1)][0];
      step_ = kPasses[static_cast<size_t>(pass_ - 1)][1];
      pass_ = (pass_ + 1) % 4;
    }
    begin_row();
    return true;
  }

 private:
  void begin_row() { row_ = canvas_ + static_cast<size_t>(frame_.top + y_) * canvas_width_ + static_cast<size_t>(frame_.left); }

  const Frame& frame_;
  const size_t canvas_width_;
  uint8_t* const canvas_;
  uint8_t* row_ = nullptr;
  int x_ = 0;
  int y_ = 0;
  int step_;
  int pass_;  ///< 1 to 3: the interlaced pass that follows; 0: this is the last
};

/// Codes of variable length, across sub-blocks.
class Codes {
 public:
  explicit Codes(Reader& file) : file_(file) {}

  unsigned next(unsigned length) {
    while (count_ < length) {
      if (block_.size == 0) {
        // Pillow does not start an incomplete block, and skips an empty one.
        if (file_.at_end()) broken("the pixels end early");
        const uint8_t size = file_.byte();
        block_ = {file_.take(size), size};
        continue;
      }
      bits_ |= uint32_t{*block_.data++} << count_;
      --block_.size;
      count_ += 8;
    }
    const unsigned code = bits_ & ((1U << length) - 1);
    bits_ >>= length;
    count_ -= length;
    return code;
  }

 private:
  Reader& file_;
  Reader::Block block_;
  uint32_t bits_ = 0;
  unsigned count_ = 0;
};

constexpr unsigned kMaxBits = 12;
constexpr size_t kTable = size_t{1} << kMaxBits;

/// LZW with codes of variable length (T. Welch, 1984; the GIF specification's appendix F).
void decode_frame(Reader& file, unsigned bits, Cursor cursor) {
  if (bits > kMaxBits) broken("codes of " + std::to_string(bits) + " bits");
  const unsigned clear = 1U << bits;
  const unsigned end = clear + 1;
  std::vector<uint8_t> last(kTable);    // last index of each code's string
  std::vector<uint16_t> before(kTable);  // code of its prefix
  std::vector<uint8_t> reversed;
  reversed.reserve(kTable);
  Codes codes(file);
  unsigned length = bits + 1;
  unsigned next = clear + 2;
  unsigned previous = 0;
  uint8_t first = 0;  // of the previous string
  bool fresh = true;
  while (true) {
    const unsigned code = codes.next(length);
    if (code == clear) {
      length = bits + 1;
      next = clear + 2;
      fresh = true;
      continue;
    }
    if (code == end) broken("the pixels end early");
    reversed.clear();
    if (fresh) {
      if (code > clear) broken("a code that stands for nothing");
      first = static_cast<uint8_t>(code);
      fresh = false;
    } else {
      if (code > next) broken("a code that stands for nothing");
      unsigned at = code;
      if (code == next) {
        reversed.push_back(first);
        at = previous;
      }
      for (; at >= clear; at = before[at]) {
        if (at >= kTable || reversed.size() == kTable) broken("a code that stands for nothing");
        reversed.push_back(last[at]);
      }
      first = static_cast<uint8_t>(at);
      if (next < kTable) {
        last[next] = first;
        before[next] = static_cast<uint16_t>(previous);
        if (next == (1U << length) - 1 && length < kMaxBits) ++length;
        ++next;
      }
    }
    previous = code;
    if (!cursor.put(first)) return;
    for (size_t i = reversed.size(); i-- > 0;) {
      if (!cursor.put(reversed[i])) return;
    }
  }
}

}  // namespace

bool is_gif(const std::vector<uint8_t>& bytes) { return bytes.size() >= 6 && (std::memcmp(bytes.data(), "GIF87a", 6) == 0 || std::memcmp(bytes.data(), "GIF89a", 6) == 0); }

Image decode_gif(const std::vector<uint8_t>& bytes) {
  Reader file(bytes);
  const uint8_t* screen = file.take(13);
  int width = number_at(screen + 6);
  int height = number_at(screen + 8);
  constexpr unsigned kHasPalette = 0x80;
  Palette palette;
  if ((screen[10] & kHasPalette) != 0) read_palette(file, screen[10], palette);
  std::optional<uint8_t> transparent;
  while (true) {
    if (file.at_end()) broken("has no image");
    const uint8_t kind = file.byte();
    if (kind == ';') broken("has no image");
    if (kind == '!') read_extension(file, transparent);
    if (kind == ',') break;
  }
  const uint8_t* place = file.take(9);
  Frame frame{number_at(place), number_at(place + 2), number_at(place + 4), number_at(place + 6), (place[8] & 0x40U) != 0};
  if ((place[8] & kHasPalette) != 0) {
    Palette own;
    read_palette(file, place[8], own);
    // Pillow ignores a local palette that is a grey ramp: the global one applies.
    if (std::memcmp(own.rgb, Palette().rgb, sizeof own.rgb) != 0) palette = own;
  }
  // A frame that exceeds the canvas enlarges it; one at the left without a width has the canvas's.
  width = std::max(width, frame.left + frame.width);
  height = std::max(height, frame.top + frame.height);
  check_pixels("GIF", width, height);
  if (frame.left == 0 && frame.width == 0) frame = {0, 0, width, height, frame.interlaced};
  if (frame.width == 0 || frame.height == 0) broken("its frame has no pixels");
  const size_t pixels = static_cast<size_t>(width) * static_cast<size_t>(height);
  std::vector<uint8_t> canvas(pixels, transparent.value_or(0));
  const unsigned bits = file.byte();
  decode_frame(file, bits, Cursor(frame, width, canvas.data()));
  Image image{width, height, {}};
  image.rgb.resize(3 * pixels);
  for (size_t i = 0; i < pixels; ++i) put_colour(palette.rgb[canvas[i]], image.rgb.data() + 3 * i);
  return image;
}

}  // namespace ringlab
