#include "checkpoint/position.h"

#include <cstdio>
#include <stdexcept>

namespace ringlab {

Value value_of(const Position& position) {
  return Value::dict()
      .set("epoch", Value::integer(position.epoch))
      .set("step", Value::integer(position.step))
      .set("batch", Value::integer(position.batch))
      .set("global_batch", Value::integer(position.global_batch))
      .set("world_size", Value::integer(position.world_size))
      .set("seed", Value::integer(position.seed))
      .set("epoch_id", Value::text(position.epoch_id));
}

int64_t integer_of(const Value& dict, const char* key) {
  const Value* value = dict.find(key);
  if (value == nullptr) throw std::runtime_error(std::string("its '") + key + "' is missing");
  return value->as_integer();
}

Position position_of(const Value& value) {
  Position position;
  position.epoch = integer_of(value, "epoch");
  position.step = integer_of(value, "step");
  position.batch = integer_of(value, "batch");
  position.global_batch = integer_of(value, "global_batch");
  position.world_size = integer_of(value, "world_size");
  position.seed = integer_of(value, "seed");
  if (const Value* id = value.find("epoch_id")) position.epoch_id = id->as_text();
  if (position.epoch < 0 || position.step < 0 || position.batch < 0 || position.global_batch < 0) throw std::runtime_error("its position is negative");
  return position;
}

std::string text_of(const Position& position) { return "epoch " + std::to_string(position.epoch) + " (step " + std::to_string(position.step) + ")"; }

std::string make_epoch_id(uint64_t run, const Position& position) {
  char text[80];
  std::snprintf(text, sizeof text, "%016llx-e%lld-s%lld", static_cast<unsigned long long>(run), static_cast<long long>(position.epoch), static_cast<long long>(position.step));
  return text;
}

}  // namespace ringlab
