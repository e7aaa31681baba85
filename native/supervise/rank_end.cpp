#include "supervise/rank_end.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/stop_signal.h"
#include "collect/records/json_reader.h"

namespace ringlab {
namespace {

constexpr size_t kMaxMessage = 500;
constexpr double kMaxNumber = 255;

std::optional<int> small_number(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  if (value == nullptr || value->kind != JsonValue::Kind::number || value->number != std::floor(value->number)) return std::nullopt;
  if (value->number < 0 || value->number > kMaxNumber) return std::nullopt;
  return static_cast<int>(value->number);
}

bool flag(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value != nullptr && value->kind == JsonValue::Kind::boolean && value->boolean;
}

std::string short_text(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value != nullptr && value->kind == JsonValue::Kind::text ? value->text.substr(0, kMaxMessage) : "";
}

}  // namespace

bool RankEnd::failed() const { return signal != 0 || (code != 0 && code != kExitStopped); }

bool RankEnd::lost_a_peer() const { return signal == 0 && code == exit_code_of(ErrorCode::peer_lost); }

std::string text_of(const RankEnd& end) {
  JsonObject text;
  text.add("code", end.code).add("signal", end.signal).add("out_of_memory", end.out_of_memory).add("silent", end.silent);
  text.add("error", end.error.substr(0, kMaxMessage)).add("message", end.message.substr(0, kMaxMessage));
  return text.str();
}

std::optional<RankEnd> rank_end_of(std::string_view text) {
  const auto object = read_json(text);
  if (!object || object->kind != JsonValue::Kind::object) return std::nullopt;
  const auto code = small_number(*object, "code");
  const auto signal = small_number(*object, "signal");
  if (!code || !signal) return std::nullopt;
  RankEnd end;
  end.code = *code;
  end.signal = *signal;
  end.out_of_memory = flag(*object, "out_of_memory");
  end.silent = flag(*object, "silent");
  end.error = short_text(*object, "error");
  end.message = short_text(*object, "message");
  return end;
}

const Ended* blamed(const std::vector<Ended>& ends) {
  const auto first = [&](const auto& matches) -> const Ended* {
    const auto found = std::find_if(ends.begin(), ends.end(), [&](const Ended& one) { return one.end.failed() && matches(one.end); });
    return found == ends.end() ? nullptr : &*found;
  };
  if (const Ended* by_itself = first([](const RankEnd& end) { return !end.silent && !end.lost_a_peer(); })) return by_itself;
  if (const Ended* silent = first([](const RankEnd& end) { return end.silent; })) return silent;
  return first([](const RankEnd&) { return true; });
}

std::string words_of(const Ended& ended) {
  const std::string rank = "rank " + std::to_string(ended.rank);
  if (ended.end.silent) return rank + " did not answer and was ended";
  if (ended.end.out_of_memory) return rank + " was ended by the kernel for lack of memory";
  if (ended.end.signal != 0) return rank + " was killed by " + signal_name(ended.end.signal);
  return rank + " ended with exit code " + std::to_string(ended.end.code);
}

}  // namespace ringlab
