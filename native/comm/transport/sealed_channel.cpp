#include "comm/transport/sealed_channel.h"

namespace ringlab {
namespace {

constexpr std::string_view kMagic("ringlab\x01", 8);

std::string key_of(const RunSecret& secret) { return std::string(view_of(hmac_sha256("ringlab run secret", {secret.bytes}))); }

std::string mode_byte(bool open) { return std::string(1, open ? 'o' : 's'); }

/// A proof or key of this connection: includes both nonces and the role, so that it is not valid for another connection or the
/// other end.
Digest derived(std::string_view key, std::string_view role, bool open, std::string_view nonces) { return hmac_sha256(key, {role, "\n", mode_byte(open), nonces}); }

SealPair seals(std::string_view key, bool open, std::string_view nonces, bool server) {
  const Seal from_client(derived(key, "messages of the client", open, nonces));
  const Seal from_server(derived(key, "messages of the server", open, nonces));
  return server ? SealPair{from_server, from_client} : SealPair{from_client, from_server};
}

constexpr const char* kClientProof = "proof of the client";
constexpr const char* kServerProof = "proof of the server";

std::string big_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}

}  // namespace

std::string Seal::tag(std::string_view payload) {
  const std::string head = big_endian(count_, 8) + big_endian(payload.size(), 4);
  return std::string(view_of(hmac_sha256(key_, {head, payload})).substr(0, kTagBytes));
}

std::string Seal::wrap(std::string_view payload) {
  std::string message = big_endian(payload.size(), 4);
  message += payload;
  message += tag(payload);
  ++count_;
  return message;
}

bool Seal::accepts(std::string_view payload, std::string_view given) {
  if (!equal_digests(tag(payload), given)) return false;
  ++count_;
  return true;
}

ServerHandshake::ServerHandshake(const RunSecret& secret)
    : key_(key_of(secret)), open_(secret.open()), greeting_(std::string(kMagic) + mode_byte(open_) + random_bytes(kNonceBytes)) {}

std::optional<SealPair> ServerHandshake::judge(std::string_view answer, std::string& reply, Verdict& verdict) const {
  reply.clear();
  verdict = Verdict::wrong_secret;
  if (answer.size() != kAnswerBytes || answer.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  const char mode = answer[kMagic.size()];
  if (mode != 'o' && mode != 's') return std::nullopt;
  const std::string nonces = greeting_.substr(kMagic.size() + 1) + std::string(answer.substr(kMagic.size() + 1, kNonceBytes));
  if ((mode == 'o') != open_) {
    verdict = open_ ? Verdict::has_no_secret : Verdict::wants_secret;
  } else if (equal_digests(answer.substr(kGreetingBytes), view_of(derived(key_, kClientProof, open_, nonces)))) {
    verdict = Verdict::welcome;
  }
  reply = std::string(1, static_cast<char>(verdict));
  if (verdict != Verdict::welcome) {
    reply += std::string(32, '\0');  // a proof is only sent to a peer that has proved itself
    return std::nullopt;
  }
  reply += view_of(derived(key_, kServerProof, open_, nonces));
  return seals(key_, open_, nonces, true);
}

ClientHandshake::ClientHandshake(const RunSecret& secret, std::string_view greeting) : key_(key_of(secret)), open_(secret.open()) {
  if (greeting.size() != kGreetingBytes || greeting.substr(0, kMagic.size()) != kMagic) return;
  const char mode = greeting[kMagic.size()];
  if (mode != 'o' && mode != 's') return;
  ours_ = true;
  server_open_ = mode == 'o';
  const std::string nonce = random_bytes(kNonceBytes);
  nonces_ = std::string(greeting.substr(kMagic.size() + 1)) + nonce;
  answer_ = std::string(kMagic) + mode_byte(open_) + nonce;
  answer_ += view_of(derived(key_, kClientProof, open_, nonces_));
}

std::optional<Verdict> ClientHandshake::mismatch() const {
  if (open_ == server_open_) return std::nullopt;
  return server_open_ ? Verdict::has_no_secret : Verdict::wants_secret;
}

std::optional<SealPair> ClientHandshake::judge(std::string_view welcome, Verdict& verdict) const {
  verdict = Verdict::wrong_secret;
  if (welcome.size() != kWelcomeBytes) return std::nullopt;
  const auto said = static_cast<uint8_t>(welcome[0]);
  if (said > static_cast<uint8_t>(Verdict::has_no_secret)) return std::nullopt;
  if (said != 0) {
    verdict = static_cast<Verdict>(said);
    return std::nullopt;
  }
  if (!equal_digests(welcome.substr(1), view_of(derived(key_, kServerProof, open_, nonces_)))) return std::nullopt;
  verdict = Verdict::welcome;
  return seals(key_, open_, nonces_, false);
}

}  // namespace ringlab
