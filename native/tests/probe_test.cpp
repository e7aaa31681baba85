// Limits on the cost of one probe connection for the listening side.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "comm/probe/probe_channel.h"

namespace ringlab {
namespace {

std::pair<Socket, Socket> connected() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
  return {Socket(ends[0]), Socket(ends[1])};
}

/// The message of the Failure thrown by `act`.
template <typename Act>
std::string words_of(Act act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing was thrown";
}

TEST(ProbeAttack, BytesHaveAMaximumInBothDirections) {
  auto [here, there] = connected();
  ProbeChannel channel(std::move(here), steady_seconds() + 60, 10);
  char bytes[16] = {};
  channel.send(bytes, 6);
  EXPECT_EQ(send(there.fd(), bytes, 16, 0), 16);
  channel.expect(bytes, 4);
  EXPECT_NE(words_of([&] { channel.expect(bytes, 1); }).find("more bytes than a probe moves"), std::string::npos);
  EXPECT_NE(words_of([&] { channel.send(bytes, 1); }).find("more bytes than a probe moves"), std::string::npos);
}

TEST(ProbeAttack, WhoTricklesIsCutAtTheDeadline) {
  auto [here, there] = connected();
  ProbeChannel channel(std::move(here), steady_seconds() + 0.3, 1 << 30);
  std::thread other([end = std::move(there)] {
    while (send(end.fd(), "P", 1, MSG_NOSIGNAL) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  EXPECT_NE(words_of([&] {
              char letter = 0;
              while (channel.receive(&letter, 1)) {
              }
            }).find("took longer"), std::string::npos);
  channel = ProbeChannel(Socket(), 0, 0);  // closes it, which ends the other side
  other.join();
}

TEST(ProbeAttack, WhoStaysSilentIsCutAtTheDeadline) {
  auto [here, there] = connected();
  ProbeChannel channel(std::move(here), steady_seconds() + 0.2, 1 << 30);
  char letter = 0;
  EXPECT_NE(words_of([&] { channel.receive(&letter, 1); }).find("took longer"), std::string::npos);
}

}  // namespace
}  // namespace ringlab
