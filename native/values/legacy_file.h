// The format of torch.save before 1.6, which torchvision's older published weights have: pickles one after the other (a magic
// number, a version, the machine's sizes, the object, the keys of its storages), then the storages themselves.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
#pragma once

#include "base/file_bytes.h"
#include "values/pickle.h"

namespace ringlab {

/// Does it begin with the magic number?
bool is_legacy_file(const FileBytes& file);

/// The object. Its storages are copies, aligned for their type. Throws FileError or PickleError for what is damaged, hostile, or of
/// another byte order. `foreign`: as read_pickle() takes it.
Value read_legacy_file(const FileBytes& file, Foreign foreign);

}  // namespace ringlab
