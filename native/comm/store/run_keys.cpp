#include "comm/store/run_keys.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "comm/store/named_store.h"
#include "comm/store/socket_io.h"
#include "comm/store/store_client.h"
#include "comm/transport/connections.h"

namespace ringlab {
namespace {

std::string prefix_of(const RunSecret& secret) {
  if (secret.open()) return "open/";
  return hexadecimal(hmac_sha256(secret.bytes, {"name of the run"})).substr(0, 16) + "/";
}

}  // namespace

RunKeys::RunKeys(RendezvousPlace place, double seconds) : place_(std::move(place)) {
  const double deadline = steady_seconds() + seconds;
  std::unique_ptr<StoreClient> client;
  if (place_.rank == 0) {
    listen(deadline);
    client = StoreClient::over(server_->connect_here(), place_.secret);
    own_address_ = place_.master.host;
  } else {
    client = place_.agent ? find_rank0(deadline) : StoreClient::meet(place_.master, place_.from, place_.secret, seconds, place_.give_up);
    own_address_ = client->address();
  }
  client_ = client.get();
  store_ = std::make_shared<NamedStore>(std::move(client), prefix_of(place_.secret));
}

void RunKeys::listen(double deadline) {
  ServerSettings settings;
  settings.peers = place_.peers;
  if (!place_.agent) {
    settings.endpoint = place_.master;
    settings.secret = place_.secret;
    server_ = std::make_unique<StoreServer>(std::move(settings));
    return;
  }
  AgentStore agent(place_.master, place_.from, deadline - steady_seconds(), place_.give_up);
  RendezvousNote note = new_rendezvous_note({place_.from.empty() ? address_for_others(agent, *place_.agent, place_.world_size, deadline) : place_.from, 0}, place_.secret);
  place_.secret = secret_of(note, place_.secret);
  settings.endpoint = note.master;
  settings.secret = place_.secret;
  server_ = std::make_unique<StoreServer>(std::move(settings));
  note.master.port = server_->port();
  place_.master = note.master;
  publish(agent, *place_.agent, note);
}

/// If agents restart the workers, the previous start's note may still exist: its port no longer answers, or has another
/// secret. Then the note is read again.
std::unique_ptr<StoreClient> RunKeys::find_rank0(double deadline) {
  AgentStore agent(place_.master, place_.from, deadline - steady_seconds(), place_.give_up);
  announce(agent, *place_.agent, place_.rank);
  const RunSecret file = place_.secret;
  std::optional<Failure> failure;
  std::string refused;  ///< nonce of a note whose rank 0 had another secret
  do {
    if (place_.give_up()) throw Stopped();
    if (const auto note = look_for(agent, *place_.agent)) {
      if (note->secret == file.open()) throw unlike(file.open() ? Verdict::wants_secret : Verdict::has_no_secret);
      try {
        const RunSecret secret = secret_of(*note, file);
        auto client = StoreClient::meet(note->master, place_.from, secret, std::min(2.0, std::max(0.1, deadline - steady_seconds())), place_.give_up);
        place_.secret = secret;
        place_.master = note->master;
        return client;
      } catch (const Failure& met) {
        failure.emplace(met);
        if (met.code() == ErrorCode::peer_disagrees && note->nonce == refused) throw;
        if (met.code() == ErrorCode::peer_disagrees) refused = note->nonce;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(refused.empty() ? 20 : 500));
  } while (steady_seconds() < deadline);
  if (failure) throw Failure(*failure);
  throw std::move(Failure(ErrorCode::rendezvous_timeout, "rank 0 of " + std::to_string(place_.world_size) + " did not connect to torchrun's store at " + place_.master.str(), "look at rank 0's log")
                      .about_peer(0, ""));
}

std::unique_ptr<KeyStore> RunKeys::another(double seconds, double patience, std::function<bool()> give_up) const {
  auto client = server_ ? StoreClient::over(server_->connect_here(), place_.secret) : StoreClient::meet(place_.master, place_.from, place_.secret, seconds, place_.give_up);
  client->set_patience(patience, std::move(give_up));
  return std::make_unique<NamedStore>(std::move(client), prefix_of(place_.secret));
}

void RunKeys::set_patience(std::optional<double> seconds) { client_->set_patience(seconds.value_or(StoreClient::kPatience)); }

void RunKeys::close_port() {
  if (server_) server_->close_port();
}

bool RunKeys::carries(const Socket& socket) const {
  const auto is_store = [this](const Endpoint& end) {
    if (end.port != place_.master.port) return false;
    const auto addresses = numeric_addresses(place_.master.host);
    return std::find(addresses.begin(), addresses.end(), end.host) != addresses.end();
  };
  return is_store(local_end(socket)) || is_store(remote_end(socket));
}

std::string RunKeys::refusals() const {
  if (!server_) return "";
  const Refusals refusals = server_->refusals();
  if (refusals.count == 0) return "";
  const std::string many = refusals.count == 1 ? "1 connection was" : std::to_string(refusals.count) + " connections were";
  return "; " + many + " refused, the last from " + refusals.last;
}

}  // namespace ringlab
