#include "collect/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/xxh64.h"
#include "collect/formats/event_file.h"
#include "collect/formats/json_lines.h"
#include "collect/formats/wandb_file.h"
#include "collect/printed/log_reader.h"

namespace ringlab {
namespace {

/// Most records are short: a source whose records wait to be written keeps few of them in memory.
constexpr size_t kFirstWindow = size_t{64} << 10;
constexpr double kSyncShare = 0.05;   ///< of the time
constexpr double kMaxSyncPause = 5;   ///< seconds

std::unique_ptr<Reader> reader_of(SourceKind kind, const std::shared_ptr<const UserPatterns>& patterns) {
  switch (kind) {
    case SourceKind::printed: return std::make_unique<LogReader>(patterns);
    case SourceKind::events: return std::make_unique<EventFile>();
    case SourceKind::wandb: return std::make_unique<WandbFile>();
    case SourceKind::package:
    case SourceKind::json: break;
  }
  return std::make_unique<JsonLines>(kind == SourceKind::package);
}

/// Closes the descriptor at the end of its scope.
struct OpenFile {
  // A FIFO or device would block.
  explicit OpenFile(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd;
};

void begin_again(Source& source, uint64_t inode) {
  const bool first = source.key.empty();
  source.inode = inode;
  source.key = source_key(source.shown, inode);
  source.last_read = false;
  source.durable = 0;
  if (first) return;
  source.began_again = true;
  source.done = 0;
  source.waiting.clear();
  source.reader = reader_of(source.kind, source.patterns);
}

/// Synchronises what was written up to `size`, unless that took so long before that it is not due yet.
void make_durable(Source& source, int fd, uint64_t size, bool last) {
  const double begun = steady_seconds();
  if (size <= source.durable || (!last && begun < source.next_sync)) return;
  // Where it fails, nothing better can be done than to go on.
  fdatasync(fd);
  const double now = steady_seconds();
  source.next_sync = now + std::min((now - begun) / kSyncShare, kMaxSyncPause);
  source.durable = size;
}

}  // namespace

const char* from_word(SourceKind kind) {
  switch (kind) {
    case SourceKind::printed: return "output";
    case SourceKind::package: return "ringlab";
    case SourceKind::json: return "json";
    case SourceKind::events: return "tensorboard";
    case SourceKind::wandb: return "wandb";
  }
  return "json";
}

std::unique_ptr<Source> make_source(SourceKind kind, std::string path, std::string shown, std::shared_ptr<const UserPatterns> patterns) {
  auto source = std::make_unique<Source>();
  source->kind = kind;
  source->path = std::move(path);
  source->shown = std::move(shown);
  source->reader = reader_of(kind, patterns);
  source->patterns = std::move(patterns);
  return source;
}

std::string source_key(const std::string& shown, uint64_t inode) {
  const std::string text = shown + "\n" + std::to_string(inode);
  char key[9];
  std::snprintf(key, sizeof key, "%08x", static_cast<unsigned>(xxh64(text.data(), text.size()) & 0xFFFFFFFFU));
  return key;
}

bool read_next(Source& source, bool last) {
  struct stat info {};
  if (stat(source.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const auto size = static_cast<uint64_t>(info.st_size);
  const bool replaced = info.st_ino != source.inode || size < source.size;
  source.size = size;
  if (!replaced && (size <= source.done || source.last_read)) return false;
  const OpenFile file(source.path);
  if (file.fd < 0 || fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (replaced) begin_again(source, info.st_ino);
  make_durable(source, file.fd, static_cast<uint64_t>(info.st_size), last);
  if (source.durable <= source.done) return false;
  std::string bytes;
  for (const size_t most : {kFirstWindow, kReadWindow}) {
    const size_t window = std::min<uint64_t>(most, source.durable - source.done);
    bytes.resize(window);
    ssize_t got = -1;
    do {
      got = pread(file.fd, bytes.data(), bytes.size(), static_cast<off_t>(source.done));
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    bytes.resize(static_cast<size_t>(got));
    const bool whole = source.done + bytes.size() >= static_cast<uint64_t>(info.st_size);
    std::vector<Found> found;
    const uint64_t done = source.reader->read(bytes, last && whole, found);
    // A script dates its records by the machine's clock, which may have been set since it and this process began.
    const double ahead = wall_time() - line_time();
    for (auto& one : found) {
      if (one.time > 0) one.time -= ahead;
      one.end += source.done;
      one.offset += source.done;
      source.waiting.push_back(std::move(one));
    }
    source.done += done;
    if (last && whole) source.last_read = true;
    if (done > 0) return true;
    if (bytes.size() < most) return false;
  }
  return false;
}

}  // namespace ringlab
