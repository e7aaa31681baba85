#include "comm/store/agent_store.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "comm/store/socket_io.h"

namespace ringlab {
namespace {

constexpr uint32_t kMagic = 0x3C85F7CE;  ///< of c10d's VALIDATE
constexpr double kPatience = 10;         ///< seconds, for one answer
constexpr double kHandshakeSeconds = 3;
constexpr uint64_t kMaxValueBytes = 64 << 10;
constexpr unsigned char kReady = 0;  ///< c10d's CheckResponseType

template <typename Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

uint64_t number_in(const std::string& bytes) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::string counted(const std::string& text) { return bytes_of<uint64_t>(text.size()) + text; }

}  // namespace

std::string AgentStore::request(Query query) const { return std::string(1, static_cast<char>(static_cast<unsigned char>(query) - (newer_ ? 0 : 1))); }

/// Is the answer to `greeting`, queries for the number of keys, valid?
bool AgentStore::answers(bool newer, const std::string& greeting, size_t reply_bytes, double deadline) {
  try {
    send_all(socket_, greeting, deadline);
    const std::string reply = receive(socket_, reply_bytes, deadline);
    newer_ = newer;
    return number_in(reply) < uint64_t{1} << 32;
  } catch (const StoreError&) {
    return false;
  }
}

AgentStore::AgentStore(const Endpoint& agent, const std::string& from, double seconds, const std::function<bool()>& give_up) {
  const double deadline = steady_seconds() + seconds;
  const auto connect = [&] {
    std::string reason;
    socket_ = connect_to(agent, std::max(0.0, deadline - steady_seconds()), give_up, reason, from);
    if (give_up()) throw Stopped();
    if (socket_.valid()) return;
    throw Failure(ErrorCode::rendezvous_timeout, "torchrun's store cannot be reached at " + agent.str() + ": " + reason,
                  "is MASTER_ADDR the address of the first node, and does a firewall close MASTER_PORT?");
  };
  while (true) {
    connect();
    // An older store reads this as the start of a key larger than its memory, and closes the connection at once. In the
    // reverse order a newer one would wait.
    const std::string newer = std::string(1, static_cast<char>(Query::validate)) + bytes_of(kMagic) + std::string(4, static_cast<char>(Query::count));
    if (answers(true, newer, 4 * sizeof(uint64_t), std::min(deadline, steady_seconds() + kHandshakeSeconds))) break;
    connect();
    if (answers(false, std::string(1, static_cast<char>(Query::count) - 1), sizeof(uint64_t), std::min(deadline, steady_seconds() + kHandshakeSeconds))) break;
    if (steady_seconds() >= deadline) {
      throw Failure(ErrorCode::rendezvous_timeout, "what listens at " + agent.str() + " does not answer as torchrun's store does", "is MASTER_PORT another program's port, or PyTorch older than 1.9?");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  address_ = local_address(socket_);
}

void AgentStore::set(const std::string& key, const std::string& value) {
  // There is no answer; the next query's shows that this one was accepted.
  send_all(socket_, request(Query::set) + counted(key) + counted(value), steady_seconds() + kPatience);
}

std::optional<std::string> AgentStore::get(const std::string& key) {
  const double deadline = steady_seconds() + kPatience;
  // A store closes a connection that gets a missing key.
  send_all(socket_, request(Query::check) + bytes_of<uint64_t>(1) + counted(key), deadline);
  if (static_cast<unsigned char>(receive(socket_, 1, deadline)[0]) != kReady) return std::nullopt;
  send_all(socket_, request(Query::get) + counted(key), deadline);
  const uint64_t size = number_in(receive(socket_, sizeof(uint64_t), deadline));
  if (size > kMaxValueBytes) throw StoreError("torchrun's store answers with more than a note");
  return receive(socket_, size, deadline);
}

}  // namespace ringlab
