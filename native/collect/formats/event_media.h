// Histograms and pictures in TensorBoard's event files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringlab {

/// A histogram as members of a line: `"low":-1,"high":1,"counts":[…]`, at most 30 bins of equal width. Nothing where it holds no value, or is damaged.
/// `message`: a HistogramProto (v1: tf.summary 1, torch, tensorboardX).
std::optional<std::string> histogram_members(std::string_view message);

/// The same of the plugin 'histograms' (v2): a TensorProto of k rows with left edge, right edge and count.
std::optional<std::string> histogram_tensor_members(std::string_view message);

/// One encoded picture: its members of a line, `"format":"png","width":8,"height":8`, and its bytes as a part of what was given.
struct EventPicture {
  std::string members;
  std::string_view bytes;
};

/// Nothing for bytes that begin as no PNG, JPEG or GIF. `message`: a Summary.Image (v1).
std::optional<EventPicture> picture_of(std::string_view message);

/// The first picture of the plugin 'images' (v2): a TensorProto of texts: width, height, encoded pictures.
std::optional<EventPicture> picture_of_tensor(std::string_view message);

}  // namespace ringlab
