// What is said of NCCL's and Gloo's errors.
#include "comm/collectives/backend_error.h"

#include <gtest/gtest.h>

namespace ringlab {
namespace {

TEST(BackendError, TwoRanksOfOneGpuAreSaidSo) {
  // As libtorch 2.11 with NCCL 2.28.9 threw it on one H200.
  const Failure failure = backend_failure(
      "NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:93, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.28.9\n"
      "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
      "Last error:\n"
      "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 6b0\n"
      "Exception raised from create at NCCLUtils.cpp:93");
  EXPECT_EQ(failure.code(), ErrorCode::backend_missing);
  EXPECT_STREQ(failure.what(), "NCCL needs a GPU for each rank: Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 6b0");
}

TEST(BackendError, HasNcclsOwnReason) {
  const Failure failure = backend_failure(
      "NCCL error in: NCCLUtils.cpp:93, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\n"
      "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\n"
      "Last error:\n"
      "Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)");
  EXPECT_EQ(failure.code(), ErrorCode::peer_lost);
  EXPECT_STREQ(failure.what(),
               "the connection between the ranks broke: NCCL error in: NCCLUtils.cpp:93, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5: "
               "Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)");
}

TEST(BackendError, ElseItsFirstLine) {
  EXPECT_STREQ(backend_failure("Connection reset by peer\nException raised from x").what(), "the connection between the ranks broke: Connection reset by peer");
  EXPECT_STREQ(backend_failure("").what(), "the connection between the ranks broke: ");
}

}  // namespace
}  // namespace ringlab
