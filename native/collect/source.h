// One followed file of a rank.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "collect/patterns/user_patterns.h"
#include "collect/records/reader.h"

namespace ringlab {

enum class SourceKind { printed, package, json, events, wandb };
constexpr SourceKind kLastSourceKind = SourceKind::wandb;

/// The word in `from` of a scalar line.
const char* from_word(SourceKind kind);

struct Source {
  SourceKind kind = SourceKind::json;
  std::string path;    ///< absolute
  std::string shown;   ///< as in lines: relative to its folder
  std::string prefix;  ///< of names
  std::string key;     ///< in `at`: of path and inode, so that a replaced file is another one; "" until the file is there
  uint64_t inode = 0;
  uint64_t done = 0;   ///< bytes that the reader has read, or is going to skip
  uint64_t size = 0;   ///< of the file when it was last looked at
  uint64_t durable = 0;   ///< bytes that are on the disk: no more are read, so that no line is about what a power cut takes away
  double next_sync = 0;   ///< steady seconds
  bool last_read = false;
  bool began_again = false;   ///< its content is another one since this was last cleared: places of before are not of it
  std::unique_ptr<Reader> reader;
  std::shared_ptr<const UserPatterns> patterns;  ///< for what is printed
  std::deque<Found> waiting;  ///< read and not yet written; `end` counts from the start of the file, `time` as line_time() does
};

/// A source of this kind with its reader; `patterns` may be null.
std::unique_ptr<Source> make_source(SourceKind kind, std::string path, std::string shown, std::shared_ptr<const UserPatterns> patterns);

/// Names the file in `at`: 8 hexadecimal digits.
std::string source_key(const std::string& shown, uint64_t inode);

/// Reads the source's next bytes, at most a window: appends to `waiting`. False if there is nothing new, or only an incomplete record. A file
/// that became shorter, or that another has replaced, is read from its start. What is read is on the disk: it is synchronised before, which takes at
/// most a twentieth of the time unless `last`.
bool read_next(Source& source, bool last);

}  // namespace ringlab
