#include "collect/rank_sources.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>

namespace ringlab {
namespace {

constexpr size_t kMaxSources = 5000;

const JsonValue* text_member(const JsonValue& object, const char* name) {
  const JsonValue* member = object.find(name);
  return member != nullptr && member->kind == JsonValue::Kind::text ? member : nullptr;
}

uint64_t number_member(const JsonValue& object, const char* name) {
  const JsonValue* member = object.find(name);
  return member != nullptr && member->kind == JsonValue::Kind::number && member->number >= 0 && member->number < 9e15 ? static_cast<uint64_t>(member->number) : 0;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

void RankSources::add(SourceKind kind, const std::string& path, const std::string& shown) {
  if (has(path)) return;
  auto source = make_source(kind, path, shown, patterns_);
  if (kind == SourceKind::events) source->prefix = prefix_of(shown);
  list_.push_back(std::move(source));
}

bool RankSources::has(const std::string& path) const {
  return std::any_of(list_.begin(), list_.end(), [&](const auto& source) { return source->path == path; });
}

bool RankSources::is_full() const { return list_.size() >= kMaxSources; }

/// Names in event files of other folders than the first begin with the folder: `val/loss` of runs/a/val. A script that was started again
/// goes on in the same folders or in new ones, such as lightning_logs/version_1: their names continue those of before.
std::string RankSources::prefix_of(const std::string& path) {
  const std::string folder = folder_of(path);
  const auto known = std::find_if(list_.begin(), list_.end(), [&](const auto& source) { return source->kind == SourceKind::events && folder_of(source->shown) == folder; });
  const bool below = !events_folder_.empty() && folder.rfind(events_folder_ + "/", 0) == 0;
  if (!has_events_ && known == list_.end() && !below) events_folder_ = folder;
  has_events_ = true;
  if (known != list_.end()) return (*known)->prefix;
  if (folder == events_folder_) return "";
  if (folder.rfind(events_folder_ + "/", 0) == 0) return folder.substr(events_folder_.size() + 1) + "/";
  size_t common = 0;
  for (size_t i = 0; i < folder.size() && i < events_folder_.size() && folder[i] == events_folder_[i]; ++i) {
    if (folder[i] == '/') common = i + 1;
  }
  return folder.substr(common) + "/";
}

void RankSources::restore(const JsonValue& snapshot, int attempt) {
  if (const JsonValue* folder = text_member(snapshot, "events_folder")) {
    events_folder_ = folder->text;
    has_events_ = number_member(snapshot, "events_attempt") >= static_cast<uint64_t>(attempt);
  }
  const JsonValue* sources = snapshot.find("sources");
  if (sources == nullptr) return;
  for (const auto& item : sources->items) {
    const JsonValue* path = text_member(item, "path");
    const JsonValue* shown = text_member(item, "shown");
    const uint64_t kind = number_member(item, "type");
    if (path == nullptr || shown == nullptr || kind > static_cast<uint64_t>(kLastSourceKind) || is_full()) continue;
    auto source = make_source(static_cast<SourceKind>(kind), path->text, shown->text, patterns_);
    struct stat info {};
    const bool there = stat(path->text.c_str(), &info) == 0;
    const uint64_t done = number_member(item, "done");
    const uint64_t inode = number_member(item, "inode");
    if (const JsonValue* prefix = text_member(item, "prefix")) source->prefix = prefix->text;
    if (there && info.st_ino == inode && static_cast<uint64_t>(info.st_size) >= number_member(item, "size")) {
      source->inode = inode;
      source->key = source_key(source->shown, inode);
      source->done = done;
      source->size = number_member(item, "size");
      source->durable = done;
      if (const JsonValue* state = text_member(item, "state")) source->reader->restore(state->text);
    }
    list_.push_back(std::move(source));
  }
}

bool RankSources::add_to(JsonObject& snapshot, int attempt) const {
  std::vector<std::string> sources;
  for (const auto& source : list_) {
    if (!source->waiting.empty()) return false;
    JsonObject item;
    item.add("path", source->path).add("shown", source->shown).add("type", static_cast<int>(source->kind)).add("prefix", source->prefix);
    item.add("inode", source->inode).add("done", source->done).add("size", std::max(source->done, source->durable)).add("state", source->reader->state());
    sources.push_back(item.str());
  }
  if (has_events_ || !events_folder_.empty()) snapshot.add("events_folder", events_folder_).add("events_attempt", has_events_ ? attempt : 0);
  snapshot.add_raw("sources", json_array(sources));
  return true;
}

}  // namespace ringlab
