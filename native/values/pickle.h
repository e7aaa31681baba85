// Python's pickle, the part used by torch.save. The writer emits protocol 2; the reader supports a short list of
// opcodes and a few constructors, builds values and never executes anything.
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

/// A damaged pickle, or one that uses something outside the allow-list (named in the message).
struct PickleError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Pickled {
  std::string bytes;
  /// The storages in the order of their keys "0", "1", …
  std::vector<std::shared_ptr<const Storage>> storages;
};

/// Values in protocol 2 as torch.save would write them: readable by torch.load, also with weights_only=True.
Pickled write_pickle(const Value& value);

/// Names and shapes without weights: the largest model needs a hundredth of this.
constexpr uint64_t kMaxPickleBytes = uint64_t{64} << 20;

/// Returns the bytes of the storage `key`, `elements` of `dtype`; throws if there is no such record or it is too short.
using StorageLoader = std::function<std::shared_ptr<const Storage>(const std::string& key, DType dtype, int64_t elements)>;

/// Treatment of objects whose classes are not on read_pickle()'s allow-list.
enum class Foreign {
  refused,     ///< PickleError names the class
  ignored,  ///< a dict of the attributes and items in the pickle, None for a class or a function; nothing is imported or called
};

/// Allowed constructors: collections.OrderedDict and Counter, torch._utils._rebuild_tensor (_v2),
/// torch._utils._rebuild_parameter, torch.nn.parameter.Parameter, torch.Size, torch's storage classes, NumPy's scalars, which
/// become numbers, and argparse.Namespace, which becomes a dict of its attributes. All others are treated as `foreign` states,
/// but a call of a function that is not on the list for plain data always throws PickleError, as do truncation, stack underflow,
/// tensors that reach outside their storage, and nesting deeper than 200. `used`, if given, receives the length of the pickle,
/// which may be followed by other data.
Value read_pickle(std::string_view bytes, const StorageLoader& load_storage, size_t* used = nullptr, Foreign foreign = Foreign::refused);

}  // namespace ringlab
