// Python's `_metadata` of a state_dict, and its names with and without DistributedDataParallel's prefix "module.".
#pragma once

#include <string>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// DistributedDataParallel's prefix of the wrapped model's names.
constexpr const char* kModulePrefix = "module.";

/// The version of each module's part, by module name; `names` are without the prefix. Batch norms count their batches since
/// version 2; MNASNet scales its first layer since version 2, and accepts no state_dict without a version.
Value state_dict_versions(const std::string& arch, const std::vector<std::string>& names, bool module_prefix);

/// The same state_dict with or without the prefix, with its own versions, or with those of `arch` where it has none. Throws std::runtime_error if a name is not a string.
Value with_module_prefix(const Value& state_dict, const std::string& arch, bool module_prefix);

/// `ringlab-train module-prefix on|off FROM TO`: rewrites a checkpoint, or a bare state_dict, with other names and everything
/// else unchanged. FROM and TO may be the same file. Returns the exit code; throws Failure.
int module_prefix_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
