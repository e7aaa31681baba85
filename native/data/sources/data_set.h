// Pictures with labels, whatever kind of files they come from.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/formats/image.h"

namespace ringlab {

/// One picture as a set holds it: the bytes of a picture's file, pixels made for this call, or pixels that live as long
/// as the set.
using Picture = std::variant<std::vector<uint8_t>, Image, ImageView>;

/// Something about a set that its user should know before the training.
struct Remark {
  std::string message;
  std::string hint;
  std::string path;
};

/// All const methods may be called from several threads at once. Indices go from 0 to size() - 1.
class DataSet {
 public:
  virtual ~DataSet() = default;

  /// The folder or file that the set was read from, for messages.
  virtual const std::string& root() const = 0;
  /// Names in the order of the labels.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual int64_t size() const = 0;
  virtual int32_t label(int64_t index) const = 0;
  /// Where picture `index` is: its path, or the file that holds it and its number there.
  virtual std::string name(int64_t index) const = 0;
  /// Throws BrokenImage.
  virtual Picture read(int64_t index) const = 0;
  /// False: training takes the pictures as they are, with no crop and no flip.
  virtual bool augments() const { return true; }
  virtual std::vector<Remark> remarks() const { return {}; }
};

}  // namespace ringlab
