// Mutated files for the parsers of external data: a parser may refuse them, and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

namespace ringlab {

/// Number of mutated files per fuzz test: RINGLAB_FUZZ_CASES, by default 500.
int64_t fuzz_cases();

/// One to four changes: bits, bytes, integers of 2, 4 and 8 bytes at their limits, pieces removed, duplicated, moved or
/// copied from `other`, the end truncated.
std::string mutate(const std::string& bytes, const std::string& other, Stream& random);

/// Calls `read` with the seeds unchanged, then with mutations of them. A crash, a sanitizer's report and a case of more
/// than five seconds of processor time (or RINGLAB_FUZZ_SECONDS) end the program with the case's number: RINGLAB_FUZZ_FIRST=<it>
/// starts there. An exception from `read` that is not one of its parser's fails the test, as does a process that has grown by more than
/// 512 MB.
void fuzz(const char* name, const std::vector<std::string>& seeds, const std::function<void(const std::string& bytes)>& read);

/// As above with files built by `make`: a valid structure with some broken fields and correct checksums. The files of
/// tests/corpus/<name>, which failed in the past, come first. RINGLAB_FUZZ_KEEP=<folder> writes each case there.
void fuzz_made(const char* name, const std::function<std::string(Stream& random)>& make, const std::function<void(const std::string& bytes)>& read);

/// Numbers at which sums, products and casts overflow.
uint64_t limit_number(Stream& random);

/// One of them.
template <typename Item>
const Item& one_of(const std::vector<Item>& items, Stream& random) {
  return items[static_cast<size_t>(random.below(static_cast<int64_t>(items.size())))];
}

/// True in `percent` of a hundred calls.
inline bool chance(int64_t percent, Stream& random) { return random.below(100) < percent; }

/// `bytes` bytes of the number, little-endian or big-endian.
std::string little_endian(uint64_t value, int bytes);
std::string big_endian(uint64_t value, int bytes);

}  // namespace ringlab
