// Pictures of all supported formats, recognised by content, never by file name.
#pragma once

#include "data/formats/image.h"

namespace ringlab {

/// Is it read: in this build, by its first bytes? Throws BrokenImage that says what the file is, or lacks.
Image decode_picture(const std::vector<uint8_t>& bytes);

/// Width and height; of formats other than JPEG by decoding. Throws BrokenImage.
ImageSize picture_size(const std::vector<uint8_t>& bytes);

}  // namespace ringlab
