// Mutated files, against the readers of what comes from outside: a reader may refuse them, and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

namespace ringlab {

/// How many mutated files each fuzz test reads: RINGLAB_FUZZ_CASES, 500 where that is not set.
int64_t fuzz_cases();

/// One to four changes: bits, bytes, whole numbers of 2, 4 and 8 bytes at their limits, pieces cut out, doubled, moved or
/// taken from `other`, the end cut off.
std::string mutate(const std::string& bytes, const std::string& other, Stream& random);

/// Calls `read` with mutations of the seeds, each whole first. A crash, a sanitizer's report and a case that computes for
/// five seconds end the program with the case's number: RINGLAB_FUZZ_FIRST=<it> begins there. `read` fails the test by
/// letting an exception out that is not its reader's own. A process that has grown by more than 512 MB fails it too.
void fuzz(const char* name, const std::vector<std::string>& seeds, const std::function<void(const std::string& bytes)>& read);

/// The same with what `make` builds: a sound structure whose fields it breaks, checksums put right. The files of
/// tests/corpus/<name>, which once were trouble, come first. RINGLAB_FUZZ_KEEP=<folder> writes each case there.
void fuzz_made(const char* name, const std::function<std::string(Stream& random)>& make, const std::function<void(const std::string& bytes)>& read);

/// Numbers at which sums, products and casts go wrong.
uint64_t limit_number(Stream& random);

/// One of them.
template <typename Item>
const Item& one_of(const std::vector<Item>& items, Stream& random) {
  return items[static_cast<size_t>(random.below(static_cast<int64_t>(items.size())))];
}

/// True in `percent` of a hundred calls.
inline bool chance(int64_t percent, Stream& random) { return random.below(100) < percent; }

/// `bytes` of the number, the lowest or the highest first.
std::string little_endian(uint64_t value, int bytes);
std::string big_endian(uint64_t value, int bytes);

}  // namespace ringlab
