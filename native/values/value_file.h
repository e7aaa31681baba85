// Values in a file as torch.save writes it: a pickle and its storages in a zip container.
#pragma once

#include <cstdint>
#include <string>

#include "base/atomic_file.h"
#include "values/pickle.h"
#include "values/value.h"

namespace ringlab {

/// A file whose contents are on the disk under a temporary name until commit() gives it its own.
class ValueFile {
 public:
  /// Writes and flushes. Throws Failure (disk_full, internal); the file that was there stays.
  ValueFile(const std::string& path, const Value& value);
  void commit() { file_.commit(); }
  uint64_t bytes() const { return file_.written(); }

 private:
  AtomicFile file_;
};

/// Writes and commits; returns the file's size in bytes.
uint64_t write_value(const std::string& path, const Value& value);

/// Reads ours, torch.save's and safetensors; tensors share one copy of the file in memory. `foreign`: objects of classes that no
/// checkpoint needs. Throws Failure: bad_data where there is no such file, checkpoint_mismatch where it is damaged, hostile or of another
/// kind, with path and reason.
Value read_value(const std::string& path, Foreign foreign = Foreign::refused);

/// The Failure (checkpoint_mismatch) that read_value throws, for what is wrong in the value itself.
[[noreturn]] void throw_mismatch(const std::string& path, const std::string& what);

}  // namespace ringlab
