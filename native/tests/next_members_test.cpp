// Survivors of a loss agree on who goes on.
#include "comm/store/next_members.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/store/named_store.h"
#include "comm/transport/connections.h"
#include "tests/run_store.h"

namespace ringlab {
namespace {

std::vector<int> members_of(unsigned set, int count) {
  std::vector<int> places;
  for (int place = 0; place < count; ++place) {
    if ((set >> place & 1U) != 0) places.push_back(place);
  }
  return places;
}

TEST(NextMembers, NeverTwoHistories) {
  for (int count = 2; count <= 7; ++count) {
    for (unsigned a = 1; a < 1U << count; ++a) {
      for (unsigned b = 1; b < 1U << count; ++b) {
        if ((a & b) != 0) continue;
        for (const auto& [a_knows, b_knows] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
          // A first member that has ended is in no group.
          if ((a_knows || b_knows) && ((a | b) & 1U) != 0) continue;
          EXPECT_FALSE(may_go_on(members_of(a, count), count, a_knows) && may_go_on(members_of(b, count), count, b_knows)) << a << " and " << b << " of " << count;
        }
      }
    }
  }
}

TEST(NextMembers, GoOnWhereOneOfThemIsLost) {
  EXPECT_TRUE(may_go_on({0}, 2, false));
  EXPECT_TRUE(may_go_on({1}, 2, true));
  EXPECT_FALSE(may_go_on({1}, 2, false)) << "the first one may only be silent";
  EXPECT_TRUE(may_go_on({1, 2}, 3, false));
  EXPECT_TRUE(may_go_on({0, 3}, 4, false));
  EXPECT_FALSE(may_go_on({2, 3}, 4, false));
  EXPECT_FALSE(may_go_on({0}, 3, false));
  EXPECT_FALSE(may_go_on({}, 1, true));
}

TEST(NextMembers, OneListForAllWhoseHeartbeatsGoOn) {
  Store store;
  const auto keeper = store.connect();
  const auto other = store.connect();
  EndedGeneration ended;
  ended.count = 4;
  ended.lost = {1};
  ended.silence = 0.3;
  NextMembers theirs;
  // Rank 3 never beats; rank 2 beats and takes longer than the silence that is allowed.
  std::thread late([&] {
    for (int beat = 0; beat < 8; ++beat) {
      other->add("beat/2", 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EndedGeneration mine = ended;
    mine.place = 2;
    theirs = join_members(*other, mine, "note of 2");
  });
  const NextMembers own = gather_members(*keeper, keeper.get(), ended, "note of 0", 0);
  late.join();
  EXPECT_EQ(own.places, (std::vector<int>{0, 2}));
  EXPECT_EQ(own.notes, (std::vector<std::string>{"note of 0", "note of 2"}));
  EXPECT_EQ(theirs.places, own.places);
  EXPECT_EQ(theirs.notes, own.notes);
}

TEST(NextMembers, TooFewAreToldSo) {
  Store store;
  const auto keeper = store.connect();
  EndedGeneration ended;
  ended.count = 3;
  ended.lost = {1, 2};
  const NextMembers own = gather_members(*keeper, nullptr, ended, "alone", 0);
  EXPECT_FALSE(own.may_go_on);
  EXPECT_EQ(own.places, std::vector<int>{0}) << "it may save";
  // Rank 1 was only slow.
  const auto late = store.connect();
  ended.place = 1;
  const NextMembers theirs = join_members(*late, ended, "late");
  EXPECT_FALSE(theirs.may_go_on);
  EXPECT_EQ(theirs.places, own.places);
}

TEST(NextMembers, AListThatIsNoneIsRefused) {
  for (const std::string& list : {std::string("m\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00", 13), std::string("m\x01"), std::string("m\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x09x", 14)}) {
    Store store;
    const auto client = store.connect();
    client->set("next/members", list);
    EndedGeneration ended;
    ended.place = 1;
    ended.count = 3;
    EXPECT_THROW(join_members(*client, ended, "note"), StoreError);
  }
}

TEST(Connections, AreShutDownButForThoseExcepted) {
  const Socket listener = listen_on({"127.0.0.1", 0}, 4);
  const Endpoint there = local_end(listener);
  const auto before = Connections::open_now();
  std::string reason;
  const Socket cut = connect_to(there, 2, [] { return false; }, reason);
  const Socket kept = connect_to(there, 2, [] { return false; }, reason);
  ASSERT_TRUE(cut.valid() && kept.valid()) << reason;
  const uint16_t keeps = local_port(kept);
  const Connections connections(before, [keeps](const Socket& socket) { return local_port(socket) == keeps; });
  EXPECT_EQ(connections.size(), 1U);
  connections.shut_down();
  char byte = 0;
  EXPECT_EQ(recv(cut.fd(), &byte, 1, 0), 0) << "the end of the connection";
  EXPECT_EQ(recv(kept.fd(), &byte, 1, MSG_DONTWAIT), -1) << "still open";
}

TEST(Connections, LeaveTheEventLoopsOfALibrary) {
  const Socket listener = listen_on({"127.0.0.1", 0}, 4);
  const auto before = Connections::open_now();
  std::string reason;
  const Socket ours = connect_to(local_end(listener), 2, [] { return false; }, reason);
  ASSERT_TRUE(ours.valid()) << reason;
  const Connections connections(before, [](const Socket&) { return false; });
  const Socket other = connect_to(local_end(listener), 2, [] { return false; }, reason);
  ASSERT_TRUE(other.valid()) << reason;
  shutdown(other.fd(), SHUT_RDWR);
  const Socket loop(epoll_create1(EPOLL_CLOEXEC));
  for (const Socket* socket : {&ours, &other}) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = socket->fd();
    ASSERT_EQ(epoll_ctl(loop.fd(), EPOLL_CTL_ADD, socket->fd(), &wanted), 0);
  }
  connections.shut_down();
  epoll_event events[4];
  ASSERT_EQ(epoll_wait(loop.fd(), events, 4, 2000), 2) << "nobody reads, so that both ends are events for ever";
  connections.end_events();
  ASSERT_EQ(epoll_wait(loop.fd(), events, 4, 2000), 1);
  EXPECT_EQ(events[0].data.fd, other.fd()) << "opened later";
}

TEST(Connections, AReservedPortRefusesUntilItIsListenedOn) {
  const Socket reserved = reserve_port("127.0.0.1");
  const Endpoint place{"127.0.0.1", local_port(reserved)};
  std::string reason;
  EXPECT_FALSE(connect_to(place, 0, [] { return false; }, reason).valid());
  const Socket listener = listen_on(place);
  EXPECT_TRUE(connect_to(place, 2, [] { return false; }, reason).valid()) << reason;
}

}  // namespace
}  // namespace ringlab
