// `ringlab-train facts` and `--version`: what this binary is. Both are known since it was built: they load no libtorch.
#pragma once

#include <string>

namespace ringlab {

/// One JSON object: version, source_hash, libtorch, cuda, nccl, abi, arch, cpus.
std::string facts_json();

/// "ringlab-train <version> libtorch <version>".
std::string version_line();

}  // namespace ringlab
