// The rendezvous of all ranks at rank 0's store, with a distinct error for each way in which it can fail.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/stop_signal.h"
#include "comm/collectives/state.h"
#include "comm/transport/descriptors.h"

namespace ringlab {
namespace {

std::string read(KeyStore& store, const std::string& key) {
  const auto value = store.get(key);
  if (!value) throw StoreError("'" + key + "' is gone again");
  return *value;
}

std::string agreement_text(const CommSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.agreement) text += name + "=" + value + "\n";
  return text;
}

/// "arch: rank 0 has resnet18, this rank resnet34; …", or nothing where they agree.
std::string differences(const std::string& rank0, const CommSettings& settings) {
  std::string text;
  std::istringstream lines(rank0);
  std::string line;
  size_t i = 0;
  while (std::getline(lines, line)) {
    const std::string mine = i < settings.agreement.size() ? settings.agreement[i].first + "=" + settings.agreement[i].second : "";
    ++i;
    if (line == mine) continue;
    const size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    text += (text.empty() ? "" : "; ") + name + ": rank 0 has " + value + ", rank " + std::to_string(settings.rank) + " has " +
            (i <= settings.agreement.size() ? settings.agreement[i - 1].second : "nothing");
  }
  return text;
}

std::string rank_list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text;
}

std::unique_ptr<RunKeys> open_keys(const CommSettings& settings) {
  RendezvousPlace place;
  place.master = settings.master;
  place.agent = settings.agent;
  place.world_size = settings.world_size;
  place.rank = settings.rank;
  place.secret = settings.secret;
  place.peers = settings.peers;
  place.from = settings.address;
  place.give_up = stop_requested;
  if (settings.rank == 0 && !settings.agent && is_hidden_loopback(settings.master.host)) {
    std::fprintf(stderr, "=> %s is a loopback address on this machine: ranks on other machines cannot reach it; give rank 0's address itself\n",
                 settings.master.host.c_str());
  }
  return std::make_unique<RunKeys>(std::move(place), settings.rendezvous_timeout);
}

/// Waits in small steps for `key`; throws when a rank disagrees or on a signal; false at the deadline.
bool wait_for_key(KeyStore& store, const std::string& key, double deadline) {
  while (!store.wait({key}, std::chrono::milliseconds(50))) {
    if (stop_requested()) throw Stopped();
    if (store.check({"meet/disagree"})) throw Failure(ErrorCode::peer_disagrees, read(store, "meet/disagree"), "start every rank with the same options");
    if (steady_seconds() >= deadline) return false;
  }
  return true;
}

/// Those that are certain: other files are open for a moment, or depend on the libraries.
size_t descriptors_needed(const CommSettings& settings) {
  constexpr size_t kOthers = 16;
  const auto peers = static_cast<size_t>(settings.world_size - 1);
  const size_t of_group = settings.goes_on ? 2 : 1;  // Connections holds each a second time
  const size_t of_store = settings.rank == 0 ? 2 : 0;
  return kOthers + peers * (of_group + of_store);
}

}  // namespace

std::string rendezvous(CommState& state) {
  const auto& settings = state.settings;
  make_room_for_descriptors(descriptors_needed(settings), "rank " + std::to_string(settings.rank) + " of " + std::to_string(settings.world_size));
  const double deadline = steady_seconds() + settings.rendezvous_timeout;
  state.keys = open_keys(settings);
  auto& store = state.keys->store();
  const std::string own = state.keys->own_address();
  const std::string rank = std::to_string(settings.rank);
  if (settings.rank == 0) {
    store.set("meet/agreement", agreement_text(settings));
  } else if (!wait_for_key(store, "meet/agreement", deadline)) {
    throw Failure(ErrorCode::rendezvous_timeout, "what listens at " + settings.master.str() + " does not answer as rank 0 does", "is it another program's port?");
  }
  const std::string differing = differences(read(store, "meet/agreement"), settings);
  if (!differing.empty()) {
    store.set("meet/disagree", "the ranks disagree: " + differing);
    throw Failure(ErrorCode::peer_disagrees, "the ranks disagree: " + differing, "start every rank with the same options");
  }
  if (store.add("meet/claim/" + rank, 1) > 1) {
    throw Failure(ErrorCode::peer_disagrees, "another process is rank " + rank + " already", "give every process a --rank of its own");
  }
  if (settings.goes_on) {
    state.reserved = reserve_port(own);
    store.set("meet/successor/" + rank, std::to_string(local_port(state.reserved)));
  }
  store.set("meet/address/" + rank, own);
  std::vector<int> missing;
  for (int peer = 0; peer < settings.world_size; ++peer) {
    const std::string key = "meet/address/" + std::to_string(peer);
    if (wait_for_key(store, key, deadline)) state.addresses.push_back(read(store, key));
    else missing.push_back(peer);
  }
  if (!missing.empty()) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", settings.rendezvous_timeout);
    throw std::move(Failure(ErrorCode::rendezvous_timeout, rank_list(missing) + " of " + std::to_string(settings.world_size) + " did not join within " + seconds + " s" + state.keys->refusals(),
                            "look at the log of the missing one; --rendezvous-timeout waits longer")
                        .about_peer(missing.front(), ""));
  }
  for (int peer = 0; settings.goes_on && peer < settings.world_size; ++peer) {
    const auto port = number_of<uint16_t>(read(store, "meet/successor/" + std::to_string(peer)));
    if (!port) throw Failure(ErrorCode::peer_disagrees, "rank " + std::to_string(peer) + " names no port of its own", "are all ranks of one version?");
    state.successors.push_back({state.addresses[static_cast<size_t>(peer)], *port});
  }
  // No rank continues before all have read all addresses: rank 0 may leave the rendezvous early, but its store must remain.
  store.add("meet/ready", 1);
  while (store.add("meet/ready", 0) < settings.world_size) {
    if (stop_requested()) throw Stopped();
    if (store.check({"meet/disagree"})) throw Failure(ErrorCode::peer_disagrees, read(store, "meet/disagree"), "start every rank with the same options");
    if (steady_seconds() >= deadline) throw Failure(ErrorCode::rendezvous_timeout, "a rank left during the rendezvous", "look at the other ranks' logs");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return own;
}

}  // namespace ringlab
