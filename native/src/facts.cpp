#include "src/facts.h"

#include <sys/utsname.h>
#include <torch/version.h>

#include <cstdint>
#include <string>
#include <thread>

#include "base/json.h"
#include "compat/built_with.h"
#include "source_hash.h"

namespace ringlab {

std::string facts_json() {
  struct utsname system {};
  uname(&system);
  JsonObject facts;
  facts.add("version", RINGLAB_VERSION).add("source_hash", RINGLAB_SOURCE_HASH).add("libtorch", TORCH_VERSION);
  // null: this build is for libtorch's CPU library only.
  const std::string cuda = compat::cuda_version();
  const std::string nccl = compat::nccl_version();
  cuda.empty() ? facts.add_raw("cuda", "null") : facts.add("cuda", cuda);
  nccl.empty() ? facts.add_raw("nccl", "null") : facts.add("nccl", nccl);
  facts.add("abi", _GLIBCXX_USE_CXX11_ABI == 1 ? "cxx11" : "pre-cxx11").add("arch", system.machine);
  facts.add("cpus", static_cast<int64_t>(std::thread::hardware_concurrency()));
  return facts.str();
}

std::string version_line() { return std::string("ringlab-train ") + RINGLAB_VERSION + " libtorch " + TORCH_VERSION; }

}  // namespace ringlab
