#include "collect/formats/wandb_file.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/file_bytes.h"
#include "base/numbers.h"
#include "collect/formats/protobuf.h"
#include "collect/records/json_values.h"

namespace ringlab {
namespace {

constexpr size_t kFileHead = 7;
constexpr size_t kHead = 7;
constexpr uint64_t kBlock = 32768;
enum Type { kWhole = 1, kFirst, kMiddle, kLast };

/// Of the type's byte and the data.
bool is_sound(std::string_view bytes, size_t at, size_t size) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data()) + at + 6;
  return static_cast<uint32_t>(crc32(0, data, static_cast<uInt>(size + 1))) == static_cast<uint32_t>(little_endian_at(bytes, at, 4));
}

/// `key`, `nested_key`, `value_json` of a HistoryItem.
void history_item(std::string_view message, Found& record) {
  ProtoReader reader(message);
  ProtoField field;
  std::string name;
  std::string nested;
  std::string_view json;
  while (reader.next(field)) {
    if (field.wire != 2) continue;
    if (field.id == 1) name = field.bytes;
    if (field.id == 2) nested += (nested.empty() ? "" : "/") + std::string(field.bytes);
    if (field.id == 16) json = field.bytes;
  }
  if (name.empty()) name = nested;
  const auto value = read_json(json);
  if (reader.failed() || !value || record.values.size() >= 1000) return;
  if (const auto number = metric_number(*value)) record.values.emplace_back(name, *number);
  // An object with a type is a picture, a table or a histogram.
  if (value->kind != JsonValue::Kind::object || value->find("_type") != nullptr) return;
  std::vector<std::pair<std::string, double>> inner;
  flatten_numbers(*value, 200, inner);
  for (auto& [below, number] : inner) record.values.emplace_back(name + "/" + below, number);
}

}  // namespace

uint64_t WandbFile::read(std::string_view bytes, bool, std::vector<Found>& found) {
  if (foreign_) return bytes.size();
  size_t done = 0;
  if (position_ == 0) {
    if (bytes.size() < kFileHead) return 0;
    // ":W&B", 0xBEE1, version 0
    if (bytes.substr(0, 4) != ":W&B" || little_endian_at(bytes, 4, 2) != 0xBEE1 || bytes[6] != 0) {
      foreign_ = true;
      add_problem("this version of W&B's file format is not known", bytes.size(), found);
      return bytes.size();
    }
    done = kFileHead;
  }
  std::string joined;
  size_t at = done;
  bool open = false;
  while (true) {
    const uint64_t left = kBlock - (position_ + at) % kBlock;
    if (left < kHead) {  // zeros up to the next block
      if (bytes.size() - at < left) break;
      at += static_cast<size_t>(left);
      if (!open) done = at;
      continue;
    }
    if (bytes.size() - at < kHead) break;
    const auto size = static_cast<size_t>(little_endian_at(bytes, at + 4, 2));
    const int type = bytes[at + 6];
    if (kHead + size > left || type < kWhole || type > kLast) {
      // Not a record: the next block begins with one.
      add_problem("a record is damaged: the rest of its block is left out", at + 1, found);
      joined.clear();
      open = false;
      at += static_cast<size_t>(std::min<uint64_t>(left, bytes.size() - at));
      done = at;
      if (at == bytes.size()) break;
      continue;
    }
    if (bytes.size() - at < kHead + size) break;
    const size_t end = at + kHead + size;
    if (!is_sound(bytes, at, size)) {
      add_problem("a record's checksum is wrong: it is left out", end, found);
      joined.clear();
      open = false;
      done = at = end;
      continue;
    }
    const std::string_view data = bytes.substr(at + kHead, size);
    if (type == kWhole) {
      record(data, end, found);
    } else if (type == kFirst) {
      joined = data;
    } else if (open) {
      joined += data;
      if (type == kLast) record(joined, end, found);
    }
    open = type == kFirst || (open && type == kMiddle);
    at = end;
    if (!open) done = at;
  }
  // A record longer than the window is skipped, with its later parts.
  if (done == 0 && bytes.size() >= kReadWindow) done = at;
  position_ += done;
  return done;
}

void WandbFile::record(std::string_view message, uint64_t end, std::vector<Found>& found) {
  ProtoReader reader(message);
  ProtoField field;
  Found out;
  out.end = end;
  std::optional<double> step;
  while (reader.next(field)) {
    if (field.id != 2 || field.wire != 2) continue;  // history
    ProtoReader history(field.bytes);
    ProtoField item;
    while (history.next(item)) {
      if (item.id == 1 && item.wire == 2) history_item(item.bytes, out);
      if (item.id != 2 || item.wire != 2) continue;
      step = 0;
      ProtoReader number(item.bytes);
      ProtoField inner;
      while (number.next(inner)) {
        if (inner.id == 1 && inner.wire == 0) step = static_cast<double>(static_cast<int64_t>(inner.number));
      }
    }
  }
  if (reader.failed()) return add_problem("a record is no valid message: it is left out", end, found);
  take_axes(out);
  if (!out.step) out.step = step;
  if (!out.values.empty()) found.push_back(std::move(out));
}

std::string WandbFile::state() const { return foreign_ ? "foreign" : std::to_string(position_); }

void WandbFile::restore(const std::string& state) {
  foreign_ = state == "foreign";
  position_ = number_of<uint64_t>(state).value_or(0);
}

}  // namespace ringlab
