#include "base/sha256.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace ringlab {
namespace {

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
    0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t turn(uint32_t value, int by) { return (value >> by) | (value << (32 - by)); }

}  // namespace

Sha256::Sha256() : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::block(const uint8_t* bytes) {
  std::array<uint32_t, 64> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = uint32_t{bytes[4 * i]} << 24 | uint32_t{bytes[4 * i + 1]} << 16 | uint32_t{bytes[4 * i + 2]} << 8 | uint32_t{bytes[4 * i + 3]};
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t low = turn(words[i - 15], 7) ^ turn(words[i - 15], 18) ^ (words[i - 15] >> 3);
    const uint32_t high = turn(words[i - 2], 17) ^ turn(words[i - 2], 19) ^ (words[i - 2] >> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + words[i];
    const uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<uint32_t, 8> changed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += changed[i];
}

Sha256& Sha256::update(const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  bytes_ += size;
  while (size > 0) {
    const size_t part = std::min(size, pending_.size() - filled_);
    std::memcpy(pending_.data() + filled_, bytes, part);
    filled_ += part;
    bytes += part;
    size -= part;
    if (filled_ < pending_.size()) break;
    block(pending_.data());
    filled_ = 0;
  }
  return *this;
}

Digest Sha256::finish() {
  const uint64_t bits = bytes_ * 8;
  const uint8_t end = 0x80;
  const uint8_t zero = 0;
  update(&end, 1);
  while (filled_ != 56) update(&zero, 1);
  std::array<uint8_t, 8> length;
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  update(length.data(), length.size());
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest hmac_sha256(std::string_view key, std::initializer_list<std::string_view> parts) {
  std::array<uint8_t, 64> padded{};
  if (key.size() > padded.size()) {
    const Digest shorter = Sha256().update(key.data(), key.size()).finish();
    std::copy(shorter.begin(), shorter.end(), padded.begin());
  } else {
    std::copy(key.begin(), key.end(), padded.begin());
  }
  std::array<uint8_t, 64> inner;
  std::array<uint8_t, 64> outer;
  for (size_t i = 0; i < padded.size(); ++i) {
    inner[i] = padded[i] ^ 0x36;
    outer[i] = padded[i] ^ 0x5c;
  }
  Sha256 hash;
  hash.update(inner.data(), inner.size());
  for (const auto& part : parts) hash.update(part.data(), part.size());
  const Digest within = hash.finish();
  return Sha256().update(outer.data(), outer.size()).update(within.data(), within.size()).finish();
}

bool equal_digests(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differing = 0;
  for (size_t i = 0; i < a.size(); ++i) differing |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differing == 0;
}

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  size_t got = 0;
  while (got < count) {
    const ssize_t part = getrandom(bytes.data() + got, count - got, 0);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) throw Failure(ErrorCode::internal, std::string("no random bytes: ") + std::strerror(errno));
    got += static_cast<size_t>(part);
  }
  return bytes;
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace ringlab
