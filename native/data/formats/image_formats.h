// Images of all supported formats, recognised by content, not by file name.
#pragma once

#include <cstdint>

#include "data/formats/image.h"

namespace ringlab {

/// Does this build support the format of these first bytes? Throws BrokenImage with the file's format, or what is
/// missing.
Image decode_image(const std::vector<uint8_t>& bytes);

/// Width and height; for formats other than JPEG by decoding. Throws BrokenImage.
ImageSize image_size(const std::vector<uint8_t>& bytes);

}  // namespace ringlab
