// Netpbm's P1 to P6 as read by Pillow: levels are scaled from 0 … maxval to 0 … 255, but grey with a maxval above 255 is scaled
// to 0 … 65535 and clipped at 255.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/checked.h"
#include "data/formats/image.h"
#include "data/formats/pillow_pixels.h"

namespace ringlab {
namespace {

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("PPM: " + what); }

bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  explicit Reader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  size_t left() const { return bytes_.size() - at_; }
  const uint8_t* here() const { return bytes_.data() + at_; }

  /// A number of the header, and one white space after it. A comment does not end a number.
  uint32_t header_number() {
    std::string text;
    while (left() > 0 && text.size() <= 10) {
      const uint8_t c = bytes_[at_++];
      if (is_space(c)) {
        if (text.empty()) continue;
        break;
      }
      if (c == '#') {
        skip_line();
        continue;
      }
      text += static_cast<char>(c);
    }
    return number(text);
  }

  /// The next number of the text after the header.
  uint32_t text_number() {
    std::string text;
    while (left() > 0 && text.size() <= 10) {
      const uint8_t c = bytes_[at_++];
      if (c == '#') skip_line();
      else if (!is_space(c)) text += static_cast<char>(c);
      else if (!text.empty()) break;
    }
    return number(text);
  }

  /// The next of '0' and '1'.
  bool text_bit() {
    while (left() > 0) {
      const uint8_t c = bytes_[at_++];
      if (c == '#') skip_line();
      else if (c == '0' || c == '1') return c == '1';
      else if (!is_space(c)) break;
    }
    broken("a pixel that is neither 0 nor 1, or none");
  }

  void skip(size_t count) { at_ += count; }

 private:
  void skip_line() {
    while (left() > 0) {
      const uint8_t c = bytes_[at_++];
      if (c == '\r' || c == '\n') return;
    }
  }
  static uint32_t number(const std::string& text) {
    if (text.empty()) broken("the file ends early");
    if (text.size() > 10) broken("a number that is too long");
    uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') broken("something that is no number");
      value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    if (value > UINT32_MAX) broken("a number that is too large");
    return static_cast<uint32_t>(value);
  }

  const std::vector<uint8_t>& bytes_;
  size_t at_ = 2;
};

/// `value` of 0 … maxval scaled to 0 … `maximum`, rounded as Python's round(): half to even.
int64_t scaled(uint32_t value, uint32_t maxval, int maximum) { return std::llrint(static_cast<double>(value) / maxval * maximum); }

}  // namespace

bool is_netpbm(const std::vector<uint8_t>& bytes) { return bytes.size() > 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' && is_space(bytes[2]); }

Image decode_netpbm(const std::vector<uint8_t>& bytes) {
  Reader file(bytes);
  const int kind = bytes[1] - '0';
  file.skip(1);
  const bool text = kind <= 3;
  const bool bits = kind % 3 == 1;
  const bool colours = kind % 3 == 0;
  const uint32_t width = file.header_number();
  const uint32_t height = file.header_number();
  const uint32_t maxval = bits ? 1 : file.header_number();
  if (maxval == 0 || maxval > 65535) broken("a maxval of " + std::to_string(maxval));
  check_pixels("PPM", width, height);
  const size_t pixels = size_t{width} * height;
  const size_t samples = pixels * (colours ? 3 : 1);
  const size_t sample_bytes = maxval > 255 ? 2 : 1;
  const size_t row_bytes = (size_t{width} + 7) / 8;
  // Checked before the pixels are allocated: in text, each sample has at least one character.
  if (file.left() < (text ? samples : bits ? row_bytes * height : samples * sample_bytes)) broken("the pixels end early");
  const int maximum = !colours && maxval > 255 ? 65535 : 255;
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  image.rgb.resize(3 * pixels);
  uint8_t* out = image.rgb.data();
  const uint8_t* in = file.here();
  if (bits) {
    for (size_t y = 0; y < height; ++y, in += row_bytes) {
      for (size_t x = 0; x < width; ++x, out += 3) {
        const bool black = text ? file.text_bit() : packed_sample(in, x, 1) != 0;
        put_grey(black ? 0 : 255, out);
      }
      if (text) in -= row_bytes;
    }
    return image;
  }
  for (size_t i = 0; i < samples; ++i) {
    uint32_t value = 0;
    if (text) {
      value = file.text_number();
      if (value > maxval) broken("a value above its maxval");
    } else {
      value = sample_bytes == 1 ? in[i] : uint32_t{in[2 * i]} << 8 | in[2 * i + 1];
    }
    const uint8_t level = clip_to_level(std::min<int64_t>(maximum, maxval == 255 ? value : scaled(value, maxval, maximum)));
    if (colours) out[i] = level;
    else put_grey(level, out + 3 * i);
  }
  return image;
}

}  // namespace ringlab
