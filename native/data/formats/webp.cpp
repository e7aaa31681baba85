// WebP through libwebp, with Pillow's calls: colours without alpha; of an animation the first frame.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/formats/image.h"

#ifdef RINGLAB_WEBP
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>
#include <memory>

#include "base/loaded_library.h"
#endif

namespace ringlab {

#ifdef RINGLAB_WEBP
namespace {

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("WebP: " + what); }

/// libwebp's functions.
struct Library {
  decltype(&::WebPGetFeaturesInternal) features = nullptr;
  decltype(&::WebPDecodeRGBInto) decode = nullptr;
  decltype(&::WebPAnimDecoderNewInternal) animation = nullptr;
  decltype(&::WebPAnimDecoderGetInfo) animation_info = nullptr;
  decltype(&::WebPAnimDecoderGetNext) next = nullptr;
  decltype(&::WebPAnimDecoderDelete) end = nullptr;
  LoadedLibrary decoder{"libwebp.so.7"};
  LoadedLibrary demux{"libwebpdemux.so.2"};

  Library() {
    decoder.find(features, "WebPGetFeaturesInternal");
    decoder.find(decode, "WebPDecodeRGBInto");
    demux.find(animation, "WebPAnimDecoderNewInternal");
    demux.find(animation_info, "WebPAnimDecoderGetInfo");
    demux.find(next, "WebPAnimDecoderGetNext");
    demux.find(end, "WebPAnimDecoderDelete");
  }
};

const Library& lib() {
  static const Library library;
  return library;
}

Image still(const std::vector<uint8_t>& bytes, const WebPBitstreamFeatures& features) {
  Image image{features.width, features.height, {}};
  const int stride = 3 * features.width;
  image.rgb.resize(static_cast<size_t>(stride) * static_cast<size_t>(features.height));
  if (lib().decode(bytes.data(), bytes.size(), image.rgb.data(), image.rgb.size(), stride) == nullptr) broken("is damaged or cut off");
  return image;
}

Image first_frame(const std::vector<uint8_t>& bytes) {
  const WebPData data{bytes.data(), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)> decoder(lib().animation(&data, nullptr, WEBP_DEMUX_ABI_VERSION), lib().end);
  WebPAnimInfo info{};
  uint8_t* rgba = nullptr;
  int time = 0;
  if (!decoder || lib().animation_info(decoder.get(), &info) == 0) broken("is damaged or cut off");
  if (lib().next(decoder.get(), &rgba, &time) == 0) broken("its first frame is damaged");
  Image image{static_cast<int>(info.canvas_width), static_cast<int>(info.canvas_height), {}};
  const size_t pixels = size_t{info.canvas_width} * info.canvas_height;
  image.rgb.resize(3 * pixels);
  for (size_t i = 0; i < pixels; ++i) std::memcpy(image.rgb.data() + 3 * i, rgba + 4 * i, 3);
  return image;
}

}  // namespace

Image decode_webp(const std::vector<uint8_t>& bytes) {
  if (!reads_webp()) broken("libwebp.so.7 and libwebpdemux.so.2 are not both on this machine; install libwebp");
  WebPBitstreamFeatures features{};
  if (lib().features(bytes.data(), bytes.size(), &features, WEBP_DECODER_ABI_VERSION) != VP8_STATUS_OK) broken("is damaged or cut off");
  check_pixels("WebP", features.width, features.height);
  return features.has_animation != 0 ? first_frame(bytes) : still(bytes, features);
}
#else
Image decode_webp(const std::vector<uint8_t>&) { throw BrokenImage("WebP: this trainer was built without libwebp; install libwebp-dev and build it again"); }
#endif

bool reads_webp() {
#ifdef RINGLAB_WEBP
  return lib().decoder.complete() && lib().demux.complete();
#else
  return false;
#endif
}

bool is_webp(const std::vector<uint8_t>& bytes) {
  const auto is = [&](size_t at, const char* word) { return std::equal(word, word + 4, bytes.begin() + static_cast<std::ptrdiff_t>(at)); };
  return bytes.size() > 16 && is(0, "RIFF") && is(8, "WEBP");
}

}  // namespace ringlab
