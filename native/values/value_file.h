// Values in a file as written by torch.save: a pickle and its storages in a zip container.
#pragma once

#include <cstdint>
#include <string>

#include "base/atomic_file.h"
#include "values/pickle.h"
#include "values/value.h"

namespace ringlab {

/// A file written under a temporary name, until commit() renames it.
class ValueFile {
 public:
  /// Writes and flushes. Throws Failure (disk_full, internal); an existing file is unchanged.
  ValueFile(const std::string& path, const Value& value);
  void commit() { file_.commit(); }
  uint64_t bytes() const { return file_.written(); }

 private:
  AtomicFile file_;
};

/// Writes and commits; returns the file's size in bytes.
uint64_t write_value(const std::string& path, const Value& value);

/// Reads our files, torch.save's and safetensors; tensors share one copy of the file in memory. `foreign`: treatment of objects
/// of other classes. Throws Failure: bad_data if there is no such file, checkpoint_mismatch if it is damaged, hostile or of
/// another kind, with path and reason.
Value read_value(const std::string& path, Foreign foreign = Foreign::refused);

/// The Failure (checkpoint_mismatch) thrown by read_value, for errors in the value itself.
[[noreturn]] void throw_mismatch(const std::string& path, const std::string& what);

}  // namespace ringlab
