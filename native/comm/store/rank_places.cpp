#include "comm/store/rank_places.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/stop_signal.h"
#include "comm/store/store_table.h"

namespace ringlab {
namespace {

constexpr const char* kRefusal = "meet/disagree";
/// What rank 0 has to say to all: a list of places, or why there is none.
constexpr const char* kAnswer = "meet/answer";
constexpr char kPlaces = 'p';
constexpr char kRefused = 'r';
constexpr char kIncomplete = 'i';
/// Meanwhile: who is missing.
constexpr const char* kMissing = "meet/missing";
constexpr const char* kRead = "meet/read";
constexpr const char* kAllHaveRead = "meet/all-have-read";

/// Between two looks at a signal to stop. Each is a request, of every rank.
constexpr std::chrono::milliseconds kLook{250};
/// Between two looks of rank 0, whose store is in its own process.
constexpr std::chrono::milliseconds kRank0Look{50};
/// Between two lists of who is missing.
constexpr double kListSeconds = 1;

std::string place_key(int rank) { return "meet/place/" + std::to_string(rank); }

std::string read(KeyStore& store, const std::string& key) {
  const auto value = store.get(key);
  if (!value) throw StoreError("'" + key + "' is gone again");
  return *value;
}

std::string text_of(const std::vector<Endpoint>& places) {
  FieldWriter text(kPlaces);
  for (const auto& place : places) text.text(place.host).number(place.port);
  return text.bytes();
}

std::vector<Endpoint> places_of(const std::string& text, int count) {
  const Failure unreadable(ErrorCode::peer_disagrees, "the list of the ranks' addresses cannot be read", "are all ranks of one version?");
  if (text.empty() || text.front() != kPlaces) throw Failure(unreadable);
  FieldReader fields(std::string_view(text).substr(1));
  std::vector<Endpoint> places;
  for (int rank = 0; rank < count; ++rank) {
    auto host = fields.text();
    const auto port = fields.number();
    if (!host || !port || *port < 0 || *port > 65535) throw Failure(unreadable);
    places.push_back({std::move(*host), static_cast<uint16_t>(*port)});
  }
  if (!fields.at_end()) throw Failure(unreadable);
  return places;
}

std::string rank_list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text;
}

Failure disagreement(const std::string& why) { return Failure(ErrorCode::peer_disagrees, why, "start every rank with the same options"); }

/// `missing`: "3" for rank 3 alone, else the first one and the words for all: "3\nranks 3, 5".
std::string missing_text(const std::vector<int>& missing) { return std::to_string(missing.front()) + "\n" + rank_list(missing); }

Failure did_not_join(const PlaceExchange& exchange, const std::string& missing) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", exchange.seconds);
  const size_t end = missing.find('\n');
  const auto first = number_of<int>(std::string_view(missing).substr(0, end));
  const std::string who = end == std::string::npos ? "some" : missing.substr(end + 1);
  Failure failure(ErrorCode::rendezvous_timeout, who + " of " + std::to_string(exchange.world_size) + " did not join within " + seconds + " s" + exchange.remark(),
                  "look at the log of the missing one; --rendezvous-timeout waits longer");
  if (first) failure.about_peer(*first, "");
  return failure;
}

Failure slow_readers(int64_t how_many, const PlaceExchange& exchange) {
  return Failure(ErrorCode::rendezvous_timeout, std::to_string(how_many) + " of " + std::to_string(exchange.world_size) + " ranks did not read the others' addresses in time",
                 "they left, or their connection to rank 0 is slow: look at their logs; --rendezvous-timeout waits longer");
}

/// On rank 0: waits until all of `missing` are there, at most until `until`.
void wait_for_places(KeyStore& store, const std::vector<int>& missing, double until) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < std::min(missing.size(), kMaxKeysPerRequest); ++i) keys.push_back(place_key(missing[i]));
  while (!store.wait(keys, kRank0Look) && steady_seconds() < until) {
    if (stop_requested()) throw Stopped();
    if (const auto why = store.get(kRefusal)) throw disagreement(*why);
  }
}

/// On rank 0: the places of all ranks, as a text. Throws where one does not come, or does not agree.
std::string gather(KeyStore& store, const PlaceExchange& exchange) {
  std::vector<Endpoint> places(static_cast<size_t>(exchange.world_size));
  std::vector<int> missing;
  for (int rank = 0; rank < exchange.world_size; ++rank) missing.push_back(rank);
  while (true) {
    std::vector<int> still;
    for (const int rank : missing) {
      const auto text = store.get(place_key(rank));
      if (!text) {
        still.push_back(rank);
        continue;
      }
      places[static_cast<size_t>(rank)] = places_of(*text, 1).front();
    }
    missing = std::move(still);
    if (missing.empty()) break;
    store.set(kMissing, missing_text(missing));
    if (steady_seconds() >= exchange.deadline) throw did_not_join(exchange, missing_text(missing));
    wait_for_places(store, missing, std::min(exchange.deadline, steady_seconds() + kListSeconds));
  }
  return text_of(places);
}

/// On rank 0: as above, and tells all others the same.
std::string gather_for_all(KeyStore& store, const PlaceExchange& exchange) {
  try {
    const std::string answer = gather(store, exchange);
    store.set(kAnswer, answer);
    return answer;
  } catch (const Failure& failure) {
    if (failure.code() == ErrorCode::rendezvous_timeout) store.set(kAnswer, kIncomplete + read(store, kMissing));
    else store.set(kAnswer, kRefused + std::string(failure.what()));
    throw;
  }
}

std::string await_answer(KeyStore& store, const PlaceExchange& exchange) {
  if (!wait_for_key(store, kAnswer, exchange.deadline)) throw did_not_join(exchange, store.get(kMissing).value_or(""));
  std::string answer = read(store, kAnswer);
  if (answer.empty() || answer.front() == kIncomplete) throw did_not_join(exchange, answer.substr(std::min<size_t>(1, answer.size())));
  if (answer.front() != kPlaces) throw disagreement(answer.substr(1));
  return answer;
}

/// On rank 0: waits until all have read the answer, then lets them go on.
void release_all(KeyStore& store, const PlaceExchange& exchange) {
  int64_t have_read = store.add(kRead, 1);
  for (; have_read < exchange.world_size; have_read = store.add(kRead, 0)) {
    if (stop_requested()) throw Stopped();
    if (steady_seconds() >= exchange.deadline) throw slow_readers(exchange.world_size - have_read, exchange);
    std::this_thread::sleep_for(kRank0Look / 5);
  }
  store.set(kAllHaveRead, "");
}

void await_release(KeyStore& store, const PlaceExchange& exchange) {
  store.add(kRead, 1);
  if (!wait_for_key(store, kAllHaveRead, exchange.deadline)) throw slow_readers(exchange.world_size - store.add(kRead, 0), exchange);
}

}  // namespace

bool wait_for_key(KeyStore& store, const std::string& key, double deadline) {
  while (!store.wait({key}, kLook)) {
    if (stop_requested()) throw Stopped();
    if (steady_seconds() >= deadline) return false;
  }
  return true;
}

void refuse_to_join(KeyStore& store, const std::string& why) { store.set(kRefusal, why); }

std::vector<Endpoint> exchange_places(KeyStore& store, const PlaceExchange& exchange, const Endpoint& own) {
  store.set(place_key(exchange.rank), text_of({own}));
  if (exchange.rank == 0) {
    auto places = places_of(gather_for_all(store, exchange), exchange.world_size);
    release_all(store, exchange);
    return places;
  }
  auto places = places_of(await_answer(store, exchange), exchange.world_size);
  await_release(store, exchange);
  return places;
}

}  // namespace ringlab
