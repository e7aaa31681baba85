// Python's `_metadata` of a state_dict, and its names with and without DistributedDataParallel's "module.".
#pragma once

#include <string>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// What DistributedDataParallel puts before the names of the model that it wraps.
constexpr const char* kModulePrefix = "module.";

/// The version of each module's part, by the module's name; `names` are without the prefix. Batch norms count their batches since 2; MNASNet is
/// scaled from its first layer on since 2, and takes no state_dict that does not say so.
Value state_dict_versions(const std::string& arch, const std::vector<std::string>& names, bool module_prefix);

/// The same state_dict, its names with the prefix or without. Throws std::runtime_error where one of its names is no text.
Value with_module_prefix(const Value& state_dict, const std::string& arch, bool module_prefix);

/// `ringlab-train module-prefix on|off FROM TO`: writes a checkpoint, or a bare state_dict, with other names and everything else as it was. FROM and TO
/// may be one file. Returns the exit code; throws Failure.
int module_prefix_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
