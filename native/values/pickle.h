// Python's pickle, the part that torch.save uses. The writer emits protocol 2; the reader knows a short list of opcodes
// and a few constructors, builds values and never runs anything.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// A pickle that is damaged, or that asks for something outside the allow-list (the message names it).
struct PickleError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Pickled {
  std::string bytes;
  /// The storages in the order of their keys "0", "1", …
  std::vector<std::shared_ptr<const Storage>> storages;
};

/// Values to protocol 2 as torch.save would write them: readable by torch.load, also with weights_only=True.
Pickled write_pickle(const Value& value);

/// Names and shapes, no weights: those of the largest model take a hundredth of this.
constexpr uint64_t kMaxPickleBytes = uint64_t{64} << 20;

/// Gives the bytes of the storage `key`, `elements` of `dtype`; throws where there is no such record or it is too short.
using StorageLoader = std::function<std::shared_ptr<const Storage>(const std::string& key, DType dtype, int64_t elements)>;

/// What becomes of objects whose classes are not among those that read_pickle() allows.
enum class Foreign {
  refused,     ///< PickleError names the class
  ignored,  ///< a dict of the object's attributes and items as far as the pickle names them, None for a class or a function; nothing is imported, made or called
};

/// Allowed constructors: collections.OrderedDict and Counter, torch._utils._rebuild_tensor (_v2), torch._utils._rebuild_parameter,
/// torch.nn.parameter.Parameter, torch.Size, the names of torch's storages, NumPy's scalars, which become numbers, and argparse.Namespace,
/// which becomes a dict of what it holds. Everything else is as `foreign` says, but a call of a function that is not known to belong to
/// plain data throws PickleError in any case, as do truncation, stack underflow, tensors that reach
/// outside their storage, and values nested deeper than 200. `used`, where given, gets the length of the pickle, which may be
/// followed by anything.
Value read_pickle(std::string_view bytes, const StorageLoader& load_storage, size_t* used = nullptr, Foreign foreign = Foreign::refused);

}  // namespace ringlab
