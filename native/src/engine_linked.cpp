// The engine of a build that links libtorch (RINGLAB_LINK_ENGINE): nothing is loaded.
#include "base/error.h"
#include "src/engine.h"

namespace ringlab {

const Engine& engine() { return *ringlab_engine(); }

void write_engine(const std::string&) { throw Failure(ErrorCode::backend_missing, "this build has its engine linked, not as a file", "build with -DRINGLAB_LINK_ENGINE=OFF"); }

}  // namespace ringlab
