// Network input of rank 0: handshakes and requests, built field by field.
#include <gtest/gtest.h>

#include <cstdint>

#include "comm/store/store_table.h"
#include "comm/transport/sealed_channel.h"
#include "tests/fuzz.h"

namespace ringlab {
namespace {

std::string request(Stream& random) {
  const auto text = [&] {
    const std::string value(static_cast<size_t>(chance(2, random) ? random.below(200'000) : random.below(12)), static_cast<char>('a' + random.below(4)));
    return big_endian(chance(8, random) ? limit_number(random) : value.size(), 4) + value;
  };
  const auto number = [&] { return big_endian(chance(50, random) ? limit_number(random) : static_cast<uint64_t>(random.below(10)), 8); };
  std::string bytes(1, one_of<char>({'s', 'g', 'a', 'c', 'k', 'w', 'd', 'n', 'x', '\0'}, random));
  for (int64_t fields = chance(2, random) ? random.below(6000) : random.below(4); fields > 0; --fields) bytes += chance(70, random) ? text() : number();
  if (chance(10, random)) bytes.resize(static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size()) + 1)));
  return bytes;
}

TEST(FuzzMade, StoreRequests) {
  // One table for all cases: a hostile rank's keys affect later requests.
  StoreTable table({size_t{4} << 20, 1000});
  fuzz_made("store", request, [&](const std::string& bytes) {
    std::string reply;
    const auto wait = table.answer(bytes, reply);
    EXPECT_EQ(reply.empty(), wait.has_value());
    if (wait) {
      EXPECT_LE(wait->keys.size(), kMaxKeysPerRequest);
      EXPECT_FALSE(table.has_all(wait->keys));
    }
  });
}

TEST(FuzzMade, StoreHandshakes) {
  const RunSecret secret{"0123456789abcdef"};
  const ServerHandshake server(secret);
  fuzz_made(
      "handshake",
      [&](Stream& random) {
        std::string answer = ClientHandshake(secret, server.greeting()).answer();
        // Always invalid: none may be accepted.
        const auto at = static_cast<size_t>(random.below(static_cast<int64_t>(answer.size())));
        answer[at] = static_cast<char>(answer[at] ^ (1 << random.below(8)));
        if (chance(20, random)) answer.resize(static_cast<size_t>(random.below(200)));
        return answer;
      },
      [&](const std::string& bytes) {
        std::string reply;
        Verdict verdict{};
        EXPECT_FALSE(server.judge(bytes, reply, verdict));
        EXPECT_NE(verdict, Verdict::welcome);
        EXPECT_FALSE(ClientHandshake(secret, bytes.substr(0, kGreetingBytes)).judge(bytes.substr(0, kWelcomeBytes), verdict));
      });
}

}  // namespace
}  // namespace ringlab
