// `ringlab-train facts` and `--version`: this binary's versions. Both are fixed at build time: they do not load
// libtorch.
#pragma once

#include <string>

namespace ringlab {

/// One JSON object: version, source_hash, libtorch, cuda, nccl, abi, arch, cpus.
std::string facts_json();

/// "ringlab-train <version> libtorch <version>".
std::string version_line();

}  // namespace ringlab
