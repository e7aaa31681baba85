#include "comm/store/store_client.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "comm/store/socket_io.h"

namespace ringlab {

Failure unlike(Verdict verdict) {
  if (verdict == Verdict::wants_secret) {
    return Failure(ErrorCode::peer_disagrees, "rank 0 runs with a secret, and this rank has none", "give the file that holds the run's secret: --secret-file FILE");
  }
  if (verdict == Verdict::has_no_secret) {
    return Failure(ErrorCode::peer_disagrees, "this rank has a secret, and rank 0 runs without one", "start every rank with the same --secret-file, or every rank without one");
  }
  return Failure(ErrorCode::peer_disagrees, "rank 0 has another secret than this rank", "start every rank with the same --secret-file");
}

namespace {

/// Throws StoreError if the other end speaks another protocol, Failure if it has another secret.
SealPair prove(const Socket& socket, const RunSecret& secret, double deadline) {
  const ClientHandshake handshake(secret, receive(socket, kGreetingBytes, deadline));
  if (!handshake.is_ours()) throw StoreError("it does not answer as rank 0 does");
  if (const auto verdict = handshake.mismatch()) {
    // Notifies rank 0 that a process without the secret connected; a proof with the secret is only sent to rank 0.
    if (*verdict == Verdict::wants_secret) send_all(socket, handshake.answer(), deadline);
    throw unlike(*verdict);
  }
  send_all(socket, handshake.answer(), deadline);
  Verdict verdict{};
  auto seals = handshake.judge(receive(socket, kWelcomeBytes, deadline), verdict);
  if (!seals) throw unlike(verdict);
  return *seals;
}

}  // namespace

StoreClient::StoreClient(Socket socket, SealPair seals) : socket_(std::move(socket)), seals_(std::move(seals)), address_(local_address(socket_)) {}

std::unique_ptr<StoreClient> StoreClient::over(Socket socket, const RunSecret& secret) {
  const SealPair seals = prove(socket, secret, steady_seconds() + 30);
  return std::unique_ptr<StoreClient>(new StoreClient(std::move(socket), seals));
}

std::unique_ptr<StoreClient> StoreClient::meet(const Endpoint& master, const std::string& from, const RunSecret& secret, double seconds,
                                               const std::function<bool()>& give_up) {
  const double deadline = steady_seconds() + seconds;
  std::string strange;
  while (true) {
    std::string reason;
    Socket socket = connect_to(master, std::max(0.0, deadline - steady_seconds()), give_up, reason, from);
    if (give_up()) throw Stopped();
    if (!socket.valid() && strange.empty()) {
      throw std::move(Failure(ErrorCode::rendezvous_timeout, "rank 0 cannot be reached at " + master.str() + ": " + reason,
                              "is rank 0 running, is the address right, does a firewall close the port?")
                          .about_peer(0, master.str()));
    }
    if (socket.valid()) {
      try {
        const SealPair seals = prove(socket, secret, std::min(deadline, steady_seconds() + 5) + 0.1);
        return std::unique_ptr<StoreClient>(new StoreClient(std::move(socket), seals));
      } catch (const StoreError& error) {
        strange = error.what();
      } catch (Failure& failure) {
        throw std::move(failure.about_peer(0, master.str()));
      }
    }
    if (give_up()) throw Stopped();
    if (steady_seconds() >= deadline) {
      throw std::move(Failure(ErrorCode::rendezvous_timeout, "what listens at " + master.str() + " does not answer as rank 0 does: " + strange,
                              "is it another program's port, or does rank 0 take other --peers?")
                          .about_peer(0, master.str()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::optional<std::string> StoreClient::ask(const FieldWriter& request, double extra_seconds) {
  if (request.bytes().size() > kMaxMessageBytes) throw StoreError("a note is larger than the store takes");
  const std::lock_guard lock(mutex_);
  if (!broken_.empty()) throw StoreError(broken_);
  const double deadline = steady_seconds() + patience_ + extra_seconds;
  std::string reply;
  try {
    send_all(socket_, seals_.send.wrap(request.bytes()), deadline, give_up_);
    const std::string head = receive(socket_, 4, deadline, give_up_);
    size_t size = 0;
    for (const char c : head) size = size << 8 | static_cast<unsigned char>(c);
    if (size == 0 || size > kMaxMessageBytes + 16) throw StoreError("the store's answer has an impossible size");
    reply = receive(socket_, size, deadline, give_up_);
    if (!seals_.receive.accepts(reply, receive(socket_, kTagBytes, deadline, give_up_))) throw StoreError("the store's answer was changed on its way");
  } catch (const std::exception& error) {
    // After half an exchange the next reply would belong to the previous request.
    broken_ = error.what();
    throw;
  }
  if (reply[0] == static_cast<char>(StoreReply::no)) return std::nullopt;
  std::string rest = reply.substr(1);
  if (reply[0] == static_cast<char>(StoreReply::yes)) return rest;
  throw StoreError("the store refuses: " + FieldReader(rest).text().value_or("no reason given"));
}

namespace {

FieldWriter request(StoreRequest kind) { return FieldWriter(static_cast<char>(kind)); }

template <typename Field>
Field needed(std::optional<Field> field) {
  if (!field) throw StoreError("the store's answer is cut off");
  return std::move(*field);
}

FieldWriter with_keys(FieldWriter request, const std::vector<std::string>& keys) {
  if (keys.size() > kMaxKeysPerRequest) throw StoreError("too many keys in one question");
  for (const auto& key : keys) request.text(key);
  return request;
}

}  // namespace

void StoreClient::set(const std::string& key, const std::string& value) { ask(request(StoreRequest::set).text(key).text(value)); }

std::optional<std::string> StoreClient::get(const std::string& key) {
  const auto reply = ask(request(StoreRequest::get).text(key));
  if (!reply) return std::nullopt;
  return needed(FieldReader(*reply).text());
}

int64_t StoreClient::add(const std::string& key, int64_t amount) {
  const auto reply = needed(ask(request(StoreRequest::add).text(key).number(amount)));
  return needed(FieldReader(reply).number());
}

std::string StoreClient::compare_set(const std::string& key, const std::string& expected, const std::string& desired) {
  const auto reply = needed(ask(request(StoreRequest::compare_set).text(key).text(expected).text(desired)));
  return needed(FieldReader(reply).text());
}

bool StoreClient::check(const std::vector<std::string>& keys) { return ask(with_keys(request(StoreRequest::check), keys)).has_value(); }

bool StoreClient::wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) {
  const auto milliseconds = std::max<int64_t>(0, timeout.count());
  return ask(with_keys(request(StoreRequest::wait).number(milliseconds), keys), static_cast<double>(milliseconds) / 1000).has_value();
}

bool StoreClient::remove_key(const std::string& key) { return ask(request(StoreRequest::remove).text(key)).has_value(); }

int64_t StoreClient::count() {
  const auto reply = needed(ask(request(StoreRequest::count)));
  return needed(FieldReader(reply).number());
}

}  // namespace ringlab
