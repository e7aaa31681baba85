#include "src/engine.h"

namespace ringlab {

const Engine& engine() { return *ringlab_engine(); }

}  // namespace ringlab
