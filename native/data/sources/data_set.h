// Images with labels, for all kinds of data files.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/formats/image.h"

namespace ringlab {

/// One image of a set: the bytes of an image file, pixels created for this call, or pixels that live as long as the
/// set.
using StoredImage = std::variant<std::vector<uint8_t>, Image, ImageView>;

/// A warning about a set, to report before training.
struct Remark {
  std::string message;
  std::string hint;
  std::string path;
};

/// All const methods are thread-safe. Indices are 0 to size() - 1.
class DataSet {
 public:
  virtual ~DataSet() = default;

  /// The folder or file that the set was read from, for messages.
  virtual const std::string& root() const = 0;
  /// Names in label order.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual int64_t size() const = 0;
  virtual int32_t label(int64_t index) const = 0;
  /// The place of image `index`: its path, or its file and its number there.
  virtual std::string name(int64_t index) const = 0;
  /// Throws BrokenImage.
  virtual StoredImage read(int64_t index) const = 0;
  /// False: training uses the images without crop and flip.
  virtual bool augments() const { return true; }
  virtual std::vector<Remark> remarks() const { return {}; }
};

}  // namespace ringlab
