// The format of torch.save before 1.6, used by torchvision's older published weights: a sequence of pickles (a magic number,
// a version, the machine's sizes, the object, the keys of its storages), then the storages themselves. Source:
// torch/serialization.py, _legacy_save and _legacy_load.
#pragma once

#include "base/file_bytes.h"
#include "values/pickle.h"

namespace ringlab {

/// Does it start with the magic number?
bool is_legacy_file(const FileBytes& file);

/// The object. Its storages are copies, aligned for their type. Throws FileError or PickleError for damaged or hostile files and
/// for another byte order. `foreign`: as in read_pickle().
Value read_legacy_file(const FileBytes& file, Foreign foreign);

}  // namespace ringlab
