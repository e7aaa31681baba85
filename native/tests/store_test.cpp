// Rank 0's store: its replies, and what unauthenticated connections can do.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "comm/store/run_keys.h"
#include "comm/store/store_client.h"
#include "comm/store/store_server.h"
#include "comm/store/store_table.h"
#include "comm/transport/sealed_channel.h"

namespace ringlab {
namespace {

const RunSecret kSecret{"0123456789abcdef0123456789abcdef"};

std::string ask(StoreTable& table, const FieldWriter& request) {
  std::string reply;
  EXPECT_FALSE(table.answer(request.bytes(), reply));
  return reply;
}

FieldWriter request(StoreRequest kind) { return FieldWriter(static_cast<char>(kind)); }

TEST(StoreTable, SumsThatDoNotFitAndFullTablesAreRefused) {
  StoreTable table({100, 3});
  EXPECT_EQ(ask(table, request(StoreRequest::add).text("n").number(INT64_MAX))[0], 'y');
  EXPECT_EQ(ask(table, request(StoreRequest::add).text("n").number(1))[0], 'r');
  EXPECT_EQ(ask(table, request(StoreRequest::set).text("t").text("word"))[0], 'y');
  EXPECT_EQ(ask(table, request(StoreRequest::add).text("t").number(1))[0], 'r');
  EXPECT_EQ(ask(table, request(StoreRequest::set).text("large").text(std::string(90, 'x')))[0], 'r');
  EXPECT_EQ(ask(table, request(StoreRequest::set).text("a").text(""))[0], 'y');
  EXPECT_EQ(ask(table, request(StoreRequest::set).text("b").text(""))[0], 'r') << "a fourth key";
  EXPECT_EQ(ask(table, request(StoreRequest::remove).text("a"))[0], 'y');
  EXPECT_EQ(ask(table, request(StoreRequest::set).text("b").text(""))[0], 'y');
}

struct Place {
  explicit Place(RunSecret secret = kSecret, std::vector<std::string> peers = {}) {
    settings.endpoint = {"127.0.0.1", free_local_port()};
    settings.secret = std::move(secret);
    settings.peers = std::move(peers);
    settings.proof_seconds = 0.3;
  }
  std::unique_ptr<StoreClient> meet(const RunSecret& secret, double seconds = 5, const std::string& from = "") const {
    return StoreClient::meet(settings.endpoint, from, secret, seconds, [] { return false; });
  }
  Socket connect(const std::string& from = "") const {
    std::string reason;
    return connect_to(settings.endpoint, 1, [] { return false; }, reason, from);
  }
  ServerSettings settings;
};

/// Reads until the other end closes.
std::string rest_of(const Socket& socket) {
  std::string all;
  char part[4096];
  for (ssize_t got = 0; (got = recv(socket.fd(), part, sizeof part, 0)) > 0;) all.append(part, static_cast<size_t>(got));
  return all;
}

TEST(Store, AnswersAsAStoreOfC10dDoes) {
  const Place place;
  StoreServer server(place.settings);
  const auto a = place.meet(kSecret);
  const auto b = StoreClient::over(server.connect_here(), kSecret);
  EXPECT_EQ(a->address(), "127.0.0.1");
  EXPECT_EQ(a->get("k"), std::nullopt);
  a->set("k", std::string("v\0w", 3));
  EXPECT_EQ(b->get("k"), std::string("v\0w", 3));
  EXPECT_EQ(b->add("n", 3), 3);
  EXPECT_EQ(a->add("n", -5), -2);
  EXPECT_EQ(a->get("n"), "-2");
  EXPECT_EQ(a->compare_set("c", "x", "y"), "x") << "nothing there, and something was expected";
  EXPECT_EQ(a->compare_set("c", "", "first"), "first");
  EXPECT_EQ(b->compare_set("c", "", "second"), "first");
  EXPECT_EQ(b->compare_set("c", "first", "second"), "second");
  EXPECT_TRUE(a->check({"k", "n"}));
  EXPECT_FALSE(a->check({"k", "m"}));
  EXPECT_EQ(a->count(), 3);
  EXPECT_TRUE(a->remove_key("k"));
  EXPECT_FALSE(a->remove_key("k"));
  EXPECT_FALSE(a->wait({"later"}, std::chrono::milliseconds(20)));
  std::thread sets([&b] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    b->set("later", "");
    b->set("too", "");
  });
  EXPECT_TRUE(a->wait({"later", "too"}, std::chrono::seconds(20)));
  sets.join();
}

TEST(Store, ClosedPortsKeepTheirConnections) {
  const Place place;
  StoreServer server(place.settings);
  const auto client = place.meet(kSecret);
  server.close_port();
  for (int i = 0; i < 500 && place.connect().valid(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(place.connect().valid());
  EXPECT_EQ(client->add("still", 1), 1);
}

TEST(StoreAttack, FindingSevenTheOldProtocolDeclaresNobodyLost) {
  const Place place;
  StoreServer server(place.settings);
  const auto client = place.meet(kSecret);
  const Socket stranger = place.connect();
  // c10d's TCPStore: SET, then lengths of 8 bytes.
  const auto sized = [](const std::string& text) { return std::string(1, static_cast<char>(text.size())) + std::string(7, '\0') + text; };
  std::string set = std::string(1, '\0') + sized("/beat/verdict") + sized("1\ngone");
  set.resize(300, 'x');
  ASSERT_EQ(send(stranger.fd(), set.data(), set.size(), MSG_NOSIGNAL), 300);
  EXPECT_LE(rest_of(stranger).size(), kGreetingBytes);
  EXPECT_EQ(client->get("beat/verdict"), std::nullopt);
  EXPECT_EQ(client->count(), 0);
  EXPECT_NE(server.refusals().last.find("does not speak"), std::string::npos) << server.refusals().last;
}

TEST(StoreAttack, FindingSevenOtherSecretsAreTurnedAwayInWords) {
  const Place place;
  StoreServer server(place.settings);
  const auto code_of = [&](const RunSecret& secret) {
    try {
      place.meet(secret);
      return std::string("came in");
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::peer_disagrees);
      return std::string(failure.what());
    }
  };
  EXPECT_EQ(code_of(RunSecret{"another secret of a sort"}), "rank 0 has another secret than this rank");
  EXPECT_EQ(code_of(RunSecret{}), "rank 0 runs with a secret, and this rank has none");
  EXPECT_EQ(place.meet(kSecret)->count(), 0);
  const Place open((RunSecret()));
  StoreServer without(open.settings);
  EXPECT_EQ(open.meet(RunSecret{})->count(), 0);
  EXPECT_THROW(open.meet(kSecret), Failure);
}

TEST(StoreAttack, FindingSevenHalfAHandshakeIsGivenUp) {
  const Place place;
  StoreServer server(place.settings);
  const Socket stranger = place.connect();
  ASSERT_EQ(send(stranger.fd(), "ringlab\x01s", 9, MSG_NOSIGNAL), 9);
  EXPECT_EQ(rest_of(stranger).size(), kGreetingBytes) << "and then it was closed";
  EXPECT_NE(server.refusals().last.find("did not prove in time"), std::string::npos);
}

TEST(StoreAttack, FindingSevenAFloodKeepsNoRankOut) {
  Place place;
  place.settings.proof_seconds = 60;
  StoreServer server(place.settings);
  std::atomic<bool> over{false};
  std::atomic<bool> flooded{false};
  std::vector<Socket> held;
  std::thread flood([&] {
    for (int i = 0; i < 10'000 && !over; ++i) {
      held.push_back(place.connect());
      if (held.size() > 300) held.erase(held.begin(), held.begin() + 100);
    }
    flooded = true;
  });
  for (int i = 0; i < 20; ++i) {
    const auto client = place.meet(kSecret, 60);
    EXPECT_EQ(client->add("ranks", 1), i + 1);
  }
  // On a busy machine the ranks may have met before the flood begins.
  while (server.refusals().count == 0 && !flooded) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  over = true;
  flood.join();
  EXPECT_GT(server.refusals().count, 0);
}

/// A frame of an authenticated peer with a wrong length, tag or position.
TEST(StoreAttack, FindingSevenBrokenMessagesEndTheirConnectionAlone) {
  const Place place;
  StoreServer server(place.settings);
  const auto witness = place.meet(kSecret);
  const auto sent = [&](const std::function<std::string(Seal&)>& make) {
    const Socket socket = place.connect();
    std::string greeting(kGreetingBytes, '\0');
    EXPECT_EQ(recv(socket.fd(), greeting.data(), greeting.size(), MSG_WAITALL), static_cast<ssize_t>(greeting.size()));
    const ClientHandshake handshake(kSecret, greeting);
    send(socket.fd(), handshake.answer().data(), handshake.answer().size(), MSG_NOSIGNAL);
    std::string welcome(kWelcomeBytes, '\0');
    EXPECT_EQ(recv(socket.fd(), welcome.data(), welcome.size(), MSG_WAITALL), static_cast<ssize_t>(welcome.size()));
    Verdict verdict{};
    auto seals = handshake.judge(welcome, verdict);
    EXPECT_TRUE(seals);
    const std::string bytes = make(seals->send);
    send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return rest_of(socket);
  };
  const std::string set = FieldWriter('s').text("k").text("v").bytes();
  EXPECT_EQ(sent([](Seal&) { return std::string("\xff\xff\xff\xff", 4); }), "") << "a length of 4 GiB";
  EXPECT_EQ(sent([&](Seal& seal) {
              std::string bytes = seal.wrap(set);
              bytes.back() = static_cast<char>(bytes.back() ^ 1);
              return bytes;
            }),
            "");
  EXPECT_EQ(sent([&](Seal& seal) {
              seal.wrap("left out");
              return seal.wrap(set);
            }),
            "");
  EXPECT_FALSE(witness->check({"k"}));
  EXPECT_EQ(server.refusals().count, 3);
}

TEST(StoreAttack, FindingSevenOnlyPeersAddressesConnect) {
  const Place place(kSecret, {"127.0.0.9"});
  StoreServer server(place.settings);
  EXPECT_EQ(rest_of(place.connect()), "") << "not even a greeting";
  EXPECT_NE(server.refusals().last.find("127.0.0.1: it is not among --peers"), std::string::npos) << server.refusals().last;
  EXPECT_EQ(place.meet(kSecret, 5, "127.0.0.9")->address(), "127.0.0.9");
}

TEST(StoreAttack, FindingSevenThePortIsOpenOnTheGivenAddressAlone) {
  const Place place;
  StoreServer server(place.settings);
  std::string reason;
  EXPECT_FALSE(connect_to({"127.0.0.2", place.settings.endpoint.port}, 0, [] { return false; }, reason).valid());
  EXPECT_TRUE(place.connect().valid());
  EXPECT_TRUE(is_every_address("0.0.0.0"));
  EXPECT_TRUE(is_every_address("0"));
  EXPECT_TRUE(is_every_address("::"));
  EXPECT_FALSE(is_every_address("127.0.0.1"));
}

}  // namespace
}  // namespace ringlab
