// Authentication of both ends of a connection with the run's secret, and of each later message. Pure: bytes in, bytes
// out. Specified in PROTOCOL.md, 'The store'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

constexpr size_t kNonceBytes = 32;
constexpr size_t kGreetingBytes = 8 + 1 + kNonceBytes;      ///< magic, whether a secret is required, nonce
constexpr size_t kAnswerBytes = kGreetingBytes + 32;        ///< the same from the client, and its proof
constexpr size_t kWelcomeBytes = 1 + 32;                    ///< a Verdict, the server's proof
constexpr size_t kTagBytes = 16;
constexpr size_t kMaxMessageBytes = size_t{1} << 20;

/// The server's verdict on an answer.
enum class Verdict : uint8_t { welcome = 0, wrong_secret = 1, wants_secret = 2, has_no_secret = 3 };

/// Messages in one direction: length, payload, tag. The tag covers a counter: a changed, repeated, missing or reordered
/// message is detected.
class Seal {
 public:
  explicit Seal(const Digest& key) : key_(view_of(key)) {}
  std::string wrap(std::string_view payload);
  /// Is this the tag of the next message?
  bool accepts(std::string_view payload, std::string_view tag);

 private:
  std::string tag(std::string_view payload);
  std::string key_;
  uint64_t count_ = 0;
};

struct SealPair {
  Seal send;
  Seal receive;
};

class ServerHandshake {
 public:
  explicit ServerHandshake(const RunSecret& secret);
  const std::string& greeting() const { return greeting_; }
  /// Checks kAnswerBytes. `reply` receives the bytes to send; empty if the other end does not speak this protocol.
  std::optional<SealPair> judge(std::string_view answer, std::string& reply, Verdict& verdict) const;

 private:
  std::string key_;
  bool open_;
  std::string greeting_;
};

class ClientHandshake {
 public:
  /// Reads a `greeting` of kGreetingBytes. is_ours() is false for another program's.
  ClientHandshake(const RunSecret& secret, std::string_view greeting);
  bool is_ours() const { return ours_; }
  /// The server requires no secret but this end has one, or the reverse: nothing is sent.
  std::optional<Verdict> mismatch() const;
  const std::string& answer() const { return answer_; }
  /// Reads kWelcomeBytes. Nothing if the server does not know the secret, or refuses: see `verdict`.
  std::optional<SealPair> judge(std::string_view welcome, Verdict& verdict) const;

 private:
  std::string key_;
  bool open_;
  bool ours_ = false;
  bool server_open_ = false;
  std::string nonces_;
  std::string answer_;
};

}  // namespace ringlab
