// The error of a script where an exchange fails.
#include "python/script_errors.h"

#include <gtest/gtest.h>

namespace ringlab {
namespace {

TEST(ScriptErrors, TellsLibtorchsOwnChecksFromABrokenConnection) {
  EXPECT_TRUE(is_own_check("expected scalar type Float but found Double"));
  EXPECT_TRUE(is_own_check("Invalid scalar type"));
  EXPECT_FALSE(is_own_check("[gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:40112"));
}

}  // namespace
}  // namespace ringlab
