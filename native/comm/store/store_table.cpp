#include "comm/store/store_table.h"

#include "base/checked.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

std::string refused(const char* why) { return FieldWriter(static_cast<char>(StoreReply::refused)).text(why).bytes(); }
std::string said(bool yes) { return std::string(1, static_cast<char>(yes ? StoreReply::yes : StoreReply::no)); }
FieldWriter yes() { return FieldWriter(static_cast<char>(StoreReply::yes)); }

}  // namespace

FieldWriter& FieldWriter::text(std::string_view value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes_ += static_cast<char>(value.size() >> shift);
  bytes_ += value;
  return *this;
}

FieldWriter& FieldWriter::number(int64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> shift);
  return *this;
}

std::optional<std::string> FieldReader::text() {
  if (rest_.size() < 4) return std::nullopt;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(rest_[i]);
  if (rest_.size() - 4 < size) return std::nullopt;
  std::string value(rest_.substr(4, size));
  rest_.remove_prefix(4 + size);
  return value;
}

std::optional<int64_t> FieldReader::number() {
  if (rest_.size() < 8) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(8);
  return static_cast<int64_t>(value);
}

bool StoreTable::has_all(const std::vector<std::string>& keys) const {
  for (const auto& key : keys) {
    if (values_.count(key) == 0) return false;
  }
  return true;
}

/// False if the table is full.
bool StoreTable::put(const std::string& key, std::string value) {
  const auto found = values_.find(key);
  const size_t before = found == values_.end() ? 0 : key.size() + found->second.size();
  const size_t after = bytes_ - before + key.size() + value.size();
  if (after > limits_.bytes || (found == values_.end() && values_.size() >= limits_.keys)) return false;
  bytes_ = after;
  if (found == values_.end()) values_.emplace(key, std::move(value));
  else found->second = std::move(value);
  return true;
}

std::optional<StoreTable::Wait> StoreTable::answer(std::string_view request, std::string& reply) {
  constexpr const char* kMalformed = "a request that is none";
  constexpr const char* kFull = "the store is full";
  reply = refused(kMalformed);
  if (request.empty()) return std::nullopt;
  FieldReader fields(request.substr(1));
  const auto kind = static_cast<StoreRequest>(request[0]);
  if (kind == StoreRequest::count) {
    if (fields.at_end()) reply = yes().number(static_cast<int64_t>(values_.size())).bytes();
    return std::nullopt;
  }
  if (kind == StoreRequest::check || kind == StoreRequest::wait) {
    Wait wait;
    if (kind == StoreRequest::wait) {
      const auto milliseconds = fields.number();
      if (!milliseconds || *milliseconds < 0) return std::nullopt;
      wait.milliseconds = *milliseconds;
    }
    while (!fields.at_end()) {
      auto key = fields.text();
      if (!key || wait.keys.size() == kMaxKeysPerRequest) return std::nullopt;
      wait.keys.push_back(std::move(*key));
    }
    const bool there = has_all(wait.keys);
    reply = said(there);
    if (there || kind == StoreRequest::check) return std::nullopt;
    reply.clear();
    return wait;
  }
  const auto key = fields.text();
  if (!key) return std::nullopt;
  const auto found = values_.find(*key);
  const bool there = found != values_.end();
  switch (kind) {
    case StoreRequest::get:
      if (fields.at_end()) reply = there ? yes().text(found->second).bytes() : said(false);
      return std::nullopt;
    case StoreRequest::set: {
      auto value = fields.text();
      if (!value || !fields.at_end()) return std::nullopt;
      reply = put(*key, std::move(*value)) ? said(true) : refused(kFull);
      return std::nullopt;
    }
    case StoreRequest::add: {
      const auto amount = fields.number();
      if (!amount || !fields.at_end()) return std::nullopt;
      const auto before = there ? number_of<int64_t>(found->second) : std::optional<int64_t>(0);
      if (!before) {
        reply = refused("a number is added to a text");
        return std::nullopt;
      }
      const auto sum = checked_add(*before, *amount);
      if (!sum) reply = refused("a sum is too large");
      else reply = put(*key, std::to_string(*sum)) ? yes().number(*sum).bytes() : refused(kFull);
      return std::nullopt;
    }
    case StoreRequest::compare_set: {
      const auto expected = fields.text();
      auto desired = fields.text();
      if (!expected || !desired || !fields.at_end()) return std::nullopt;
      const bool matches = there ? found->second == *expected : expected->empty();
      if (!matches) reply = yes().text(there ? found->second : *expected).bytes();
      else reply = put(*key, *desired) ? yes().text(*desired).bytes() : refused(kFull);
      return std::nullopt;
    }
    case StoreRequest::remove:
      if (!fields.at_end()) return std::nullopt;
      if (there) {
        bytes_ -= key->size() + found->second.size();
        values_.erase(found);
      }
      reply = said(there);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace ringlab
