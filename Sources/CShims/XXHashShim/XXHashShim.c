// SPDX-License-Identifier: MIT
#include "XXHashShim.h"

#include <string.h>
#include <xxhash.h>

#if defined(__linux__) && defined(__x86_64__)
// The plain functions keep to SSE2. The library may be built with others that choose AVX2 or AVX-512 at run time and give
// the same numbers; it need not, and its header does not say, so they are linked only where they are.
XXH64_hash_t XXH3_64bits_withSeed_dispatch(const void *data, size_t size, XXH64_hash_t seed) __attribute__((weak));

uint64_t wi_hash64(const void *data, size_t size, uint64_t seed) {
    if (XXH3_64bits_withSeed_dispatch) return XXH3_64bits_withSeed_dispatch(data, size, seed);
    return XXH3_64bits_withSeed(data, size, seed);
}
#else
uint64_t wi_hash64(const void *data, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(data, size, seed); }
#endif

void wi_hash128(const void *data, size_t size, uint8_t result[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    memcpy(result, canonical.digest, 16);
}
