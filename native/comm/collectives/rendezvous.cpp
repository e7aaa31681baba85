// The rendezvous of all ranks at rank 0's store, with a distinct error for each way in which it can fail.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>

#include "base/clock.h"
#include "base/stop_signal.h"
#include "comm/collectives/state.h"
#include "comm/store/rank_places.h"
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

/// Those that are certain: other files are open for a moment, or depend on the libraries.
size_t descriptors_needed(const CommSettings& settings) {
  constexpr size_t kOthers = 16;
  const auto peers = static_cast<size_t>(settings.world_size - 1);
  const size_t of_group = (settings.goes_on ? 2 : 1) * (settings.control_group ? 2 : 1);  // Connections holds each a second time
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
    refuse_to_join(store, "the ranks disagree: " + differing);
    throw Failure(ErrorCode::peer_disagrees, "the ranks disagree: " + differing, "start every rank with the same options");
  }
  if (store.add("meet/claim/" + rank, 1) > 1) {
    throw Failure(ErrorCode::peer_disagrees, "another process is rank " + rank + " already", "give every process a --rank of its own");
  }
  uint16_t own_port = 0;
  if (settings.goes_on) {
    state.reserved = reserve_port(own);
    own_port = local_port(state.reserved);
  }
  PlaceExchange exchange;
  exchange.rank = settings.rank;
  exchange.world_size = settings.world_size;
  exchange.seconds = settings.rendezvous_timeout;
  exchange.deadline = deadline;
  exchange.remark = [&state] { return state.keys->refusals(); };
  const auto places = exchange_places(store, exchange, {own, own_port});
  for (const auto& place : places) state.addresses.push_back(place.host);
  if (!settings.goes_on) return own;
  const auto without = std::find_if(places.begin(), places.end(), [](const Endpoint& place) { return place.port == 0; });
  if (without != places.end()) {
    throw Failure(ErrorCode::peer_disagrees, "rank " + std::to_string(without - places.begin()) + " names no port of its own", "are all ranks of one version?");
  }
  state.successors = places;
  return own;
}

}  // namespace ringlab
