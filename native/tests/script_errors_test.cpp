// The error of a script where an exchange fails.
#include "python/script_errors.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace ringlab {
namespace {

TEST(ScriptErrors, TellsLibtorchsOwnChecksFromABrokenConnection) {
  EXPECT_TRUE(is_own_check("expected scalar type Float but found Double"));
  EXPECT_TRUE(is_own_check("Invalid scalar type"));
  EXPECT_FALSE(is_own_check("[gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:40112"));
}

/// A rank with one batch more.
TEST(ScriptErrorsDeathTest, SayWhyGloosThreadEndsTheProcess) {
  const auto end_by = [](const char* said) {
    explain_other_exchanges();
    explain_other_exchanges();
    std::thread([said] { throw std::runtime_error(said); }).join();
  };
  EXPECT_DEATH(end_by("[enforce fail at ./gloo/transport/tcp/pair.cc:510] op.preamble.length <= op.nbytes. 132 vs 100"), "equally many optimizer steps");
  EXPECT_DEATH(end_by("out of memory"), "out of memory");
}

}  // namespace
}  // namespace ringlab
