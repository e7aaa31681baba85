// Freed memory that is allocated again has no new page.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

#include "base/memory.h"

namespace ringlab {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void take_and_free(size_t bytes) {
  void* block = std::malloc(bytes);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, bytes);
  asm volatile("" : : "r"(block) : "memory");  // else the compiler would remove all of it
  std::free(block);
}

TEST(KeepFreedMemory, TakesLargeBlocksFromWhatWasFreed) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
  GTEST_SKIP() << "not glibc's malloc";
#endif
  keep_freed_memory();
  // 100 MiB is a convolution's output at 224 pixels, more than glibc's largest threshold for mapping a block by itself.
  for (const size_t mebibytes : {1, 20, 100}) {
    const size_t bytes = mebibytes << 20;
    take_and_free(bytes);
    const long before = page_faults();
    for (int i = 0; i < 3; ++i) take_and_free(bytes);
    EXPECT_LT(page_faults() - before, 10) << mebibytes << " MiB";
  }
}

}  // namespace
}  // namespace ringlab
