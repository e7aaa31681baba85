// Sockets and addresses.
#include "comm/transport/net.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "comm/transport/connections.h"

namespace ringlab {
namespace {

TEST(Net, AMachineThatRefusesAConnectionAnswers) {
  const Socket reserved = reserve_port("127.0.0.1");
  EXPECT_TRUE(answers({"127.0.0.1", local_port(reserved)}, 5));
  const Socket listener = listen_on({"127.0.0.1", 0}, 4);
  EXPECT_TRUE(answers({"127.0.0.1", local_port(listener)}, 5));
  EXPECT_FALSE(answers({"no-such-host.invalid", 1}, 0.1));
}

TEST(Net, AMachineThatSaysNothingDoesNotAnswer) {
  // Where nobody accepts, the kernel leaves further connections without a word.
  const Socket full = listen_on({"127.0.0.1", 0}, 1);
  const Endpoint place{"127.0.0.1", local_port(full)};
  std::vector<Socket> waiting;
  std::string reason;
  for (int i = 0; i < 8; ++i) waiting.push_back(connect_to(place, 0, [] { return false; }, reason));
  EXPECT_FALSE(answers(place, 0.3));
}

}  // namespace
}  // namespace ringlab
