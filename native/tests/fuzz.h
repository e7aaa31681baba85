// Mutated files, against the readers of what comes from outside: a reader may refuse them, and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/random.h"

namespace ringlab {

/// How many mutated files each fuzz test reads: RINGLAB_FUZZ_CASES, 500 where that is not set.
int64_t fuzz_cases();

/// One to four changes: bits, bytes, whole numbers of 2, 4 and 8 bytes at their limits, pieces cut out, doubled, moved or
/// taken from `other`, the end cut off.
std::string mutate(const std::string& bytes, const std::string& other, Stream& random);

/// Calls `read` with mutations of the seeds, each whole first. A crash, a sanitizer's report and a case that computes for
/// ten seconds end the program with the case's number: RINGLAB_FUZZ_FIRST=<it> begins there. `read` fails the test by
/// letting an exception out that is not its reader's own.
void fuzz(const char* name, const std::vector<std::string>& seeds, const std::function<void(const std::string& bytes)>& read);

}  // namespace ringlab
