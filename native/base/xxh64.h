// XXH64, a 64-bit hash without a key (public specification: github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Ranks compare
// weights by it. Not cryptographic: it does not protect against forged bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlab {

/// Hash of `size` bytes at any alignment; `data` may be null if there are none. To chain pieces, give each hash as the next seed.
uint64_t xxh64(const void* data, size_t size, uint64_t seed = 0);

}  // namespace ringlab
