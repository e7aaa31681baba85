#include "checkpoint/position.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "base/checked.h"

namespace ringlab {

namespace {

/// Only what ranks that were lost left behind: other files stay as they were.
void add_deal(const Deal& deal, Value& into) {
  if (deal.is_plain()) return;
  List again;
  for (const int64_t place : deal.again) again.push_back(Value::integer(place));
  into.set("dealt", Value::integer(deal.taken)).set("dealt_batches", Value::integer(deal.batches)).set("again", Value::list(std::move(again)));
  if (deal.evened > 0) into.set("evened", Value::integer(deal.evened));
}

Deal deal_of(const Value& value) {
  Deal deal;
  if (value.find("dealt") == nullptr) return deal;
  deal.taken = bounded_integer_of(value, "dealt", 0, kMaxImages);
  deal.batches = bounded_integer_of(value, "dealt_batches", 0, kMaxSteps);
  if (value.find("evened") != nullptr) deal.evened = bounded_integer_of(value, "evened", 1, kMaxGlobalBatch);
  const Value* again = value.find("again");
  if (again == nullptr || !again->is_sequence() || again->items().size() > kMaxDealtAgain) throw std::runtime_error("its 'again' is no list");
  for (const auto& place : again->items()) {
    deal.again.push_back(place.as_integer());
    if (deal.again.back() < 0 || deal.again.back() >= deal.taken) throw std::runtime_error("its 'again' has a place that was not dealt");
  }
  return deal;
}

}  // namespace

Value value_of(const Position& position) {
  Value value = Value::dict()
      .set("epoch", Value::integer(position.epoch))
      .set("step", Value::integer(position.step))
      .set("batch", Value::integer(position.batch))
      .set("global_batch", Value::integer(position.global_batch))
      .set("world_size", Value::integer(position.world_size))
      .set("seed", Value::integer(position.seed))
      .set("epoch_id", Value::text(position.epoch_id));
  if (position.images > 0) value.set("images", Value::integer(position.images));
  add_deal(position.deal, value);
  return value;
}

int64_t integer_of(const Value& dict, const char* key) {
  const Value* value = dict.find(key);
  if (value == nullptr) throw std::runtime_error(std::string("its '") + key + "' is missing");
  return value->as_integer();
}

int64_t bounded_integer_of(const Value& dict, const char* key, int64_t low, int64_t high) {
  const int64_t number = integer_of(dict, key);
  if (number < 0 && low == 0) throw std::runtime_error(std::string("its '") + key + "' is negative");
  if (number < low || number > high) throw std::runtime_error(std::string("its '") + key + "' is " + std::to_string(number) + "; valid: " + std::to_string(low) + " to " + std::to_string(high));
  return number;
}

Position position_of(const Value& value) {
  Position position;
  position.epoch = bounded_integer_of(value, "epoch", 0, kMaxEpoch);
  position.step = bounded_integer_of(value, "step", 0, kMaxSteps);
  position.batch = bounded_integer_of(value, "batch", 0, kMaxSteps);
  position.global_batch = bounded_integer_of(value, "global_batch", 0, kMaxGlobalBatch);
  position.world_size = bounded_integer_of(value, "world_size", 0, kMaxWorldSize);
  position.seed = integer_of(value, "seed");
  if (value.find("images") != nullptr) position.images = bounded_integer_of(value, "images", 0, kMaxImages);
  position.deal = deal_of(value);
  if (const Value* id = value.find("epoch_id")) position.epoch_id = id->as_text();
  if (position.epoch_id.size() > 200) throw std::runtime_error("its 'epoch_id' is none");
  return position;
}

int64_t steps_in(int64_t epochs, int64_t steps_per_epoch) { return std::min(checked_multiply(epochs, steps_per_epoch).value_or(kMaxSteps), kMaxSteps); }

std::string text_of(const Position& position) { return "epoch " + std::to_string(position.epoch) + " (step " + std::to_string(position.step) + ")"; }

std::string make_epoch_id(uint64_t run, const Position& position) {
  char text[80];
  std::snprintf(text, sizeof text, "%016llx-e%lld-s%lld", static_cast<unsigned long long>(run), static_cast<long long>(position.epoch), static_cast<long long>(position.step));
  return text;
}

}  // namespace ringlab
