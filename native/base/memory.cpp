#include "base/memory.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ringlab {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMiB = 1 << 20;
  // glibc's largest threshold is 32 MiB, and an activation at 224 pixels may have 100 MiB: disable mmap for blocks.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 * kMiB);
#endif
}

}  // namespace ringlab
