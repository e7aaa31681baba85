// Mutual authentication of both sides of a connection with the run's secret, and the tags of their messages.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/sha256.h"
#include "comm/transport/run_secret.h"
#include "comm/transport/sealed_channel.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

const RunSecret kSecret{"0123456789abcdef0123456789abcdef"};

Digest sha256(const std::string& text) { return Sha256().update(text.data(), text.size()).finish(); }

TEST(Sha256, FipsExamples) {
  EXPECT_EQ(hexadecimal(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1'000'000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HmacExamplesOfRfc4231) {
  EXPECT_EQ(hexadecimal(hmac_sha256(std::string(20, '\x0b'), {"Hi There"})), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hexadecimal(hmac_sha256("Jefe", {"what do ya want ", "for nothing?"})), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hexadecimal(hmac_sha256(std::string(131, '\xaa'), {"Test Using Larger Than Block-Size Key - Hash Key First"})),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

struct Proved {
  SealPair server;
  SealPair client;
};

Proved prove(const RunSecret& secret) {
  const ServerHandshake server(secret);
  const ClientHandshake client(secret, server.greeting());
  std::string welcome;
  Verdict verdict{};
  const auto theirs = server.judge(client.answer(), welcome, verdict);
  const auto ours = client.judge(welcome, verdict);
  EXPECT_TRUE(theirs && ours);
  return {*theirs, *ours};
}

TEST(Handshake, OnlyWhoKnowsTheSecretComesIn) {
  prove(kSecret);
  prove(RunSecret{});
  const ServerHandshake server(kSecret);
  std::string welcome;
  Verdict verdict{};
  const ClientHandshake other(RunSecret{"another secret of a sort"}, server.greeting());
  EXPECT_FALSE(server.judge(other.answer(), welcome, verdict));
  EXPECT_EQ(verdict, Verdict::wrong_secret);
  EXPECT_EQ(welcome.substr(1), std::string(32, '\0')) << "no proof for one who gave none";
  EXPECT_FALSE(other.judge(welcome, verdict));
  const ClientHandshake none(RunSecret{}, server.greeting());
  EXPECT_EQ(none.mismatch(), Verdict::wants_secret);
  EXPECT_FALSE(server.judge(none.answer(), welcome, verdict));
  EXPECT_EQ(verdict, Verdict::wants_secret);
  EXPECT_FALSE(server.judge(std::string(kAnswerBytes, 'x'), welcome, verdict));
  EXPECT_EQ(welcome, "") << "another program gets no answer";
}

/// A peer that impersonates rank 0 without the secret, or echoes the other end's data.
TEST(Handshake, TheServerProvesItselfToo) {
  const ServerHandshake server(kSecret);
  const ClientHandshake client(kSecret, server.greeting());
  Verdict verdict{};
  EXPECT_FALSE(client.judge(std::string(kWelcomeBytes, '\0'), verdict));
  EXPECT_FALSE(client.judge(std::string(1, '\0') + client.answer().substr(kGreetingBytes), verdict)) << "reflected";
  const ServerHandshake open(RunSecret{});
  EXPECT_EQ(ClientHandshake(kSecret, open.greeting()).mismatch(), Verdict::has_no_secret) << "no way down to a run without a secret";
}

TEST(Handshake, AReplayedAnswerOpensNothing) {
  const ServerHandshake first(kSecret);
  const ClientHandshake client(kSecret, first.greeting());
  const ServerHandshake second(kSecret);
  std::string welcome;
  Verdict verdict{};
  EXPECT_FALSE(second.judge(client.answer(), welcome, verdict));
}

TEST(Seal, NoMessageCanBeChangedRepeatedLeftOutOrTurnedRound) {
  Proved ends = prove(kSecret);
  const std::string message = ends.client.send.wrap("hello");
  const std::string payload = message.substr(4, 5);
  const std::string tag = message.substr(9);
  ASSERT_EQ(tag.size(), kTagBytes);
  EXPECT_FALSE(ends.server.receive.accepts("hellp", tag));
  EXPECT_FALSE(ends.client.receive.accepts(payload, tag)) << "sent back to its sender";
  EXPECT_TRUE(ends.server.receive.accepts(payload, tag));
  EXPECT_FALSE(ends.server.receive.accepts(payload, tag)) << "repeated";
  ends.client.send.wrap("left out");
  const std::string third = ends.client.send.wrap("third");
  EXPECT_FALSE(ends.server.receive.accepts("third", third.substr(9)));
}

TEST(RunSecret, IsTakenFromAFileOfItsOwnerAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "secret";
  write_text(path, kSecret.bytes + "\nsecond line");
  const auto words = [&] {
    try {
      return read_secret(path).bytes;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::usage);
      EXPECT_EQ(std::string(failure.what()).find(kSecret.bytes), std::string::npos);
      return std::string(failure.what());
    }
  };
  chmod(path.c_str(), 0640);
  EXPECT_NE(words().find("other users may read it"), std::string::npos);
  chmod(path.c_str(), 0600);
  EXPECT_EQ(words(), kSecret.bytes);
  write_text(path, "short\n");
  EXPECT_NE(words().find("at least 16"), std::string::npos);
  write_text(path, std::string(5000, 'x'));
  EXPECT_NE(words().find("at most 1024"), std::string::npos);
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(read_secret(folder / "fifo"), Failure) << "and does not wait for a writer";
  EXPECT_THROW(read_secret("/dev/zero"), Failure);
  EXPECT_EQ(read_secret(inheritable_secret()).bytes.size(), 64U);
}

}  // namespace
}  // namespace ringlab
