// SPDX-License-Identifier: MIT
#include "XXHashShim.h"

#include <string.h>
#include <xxhash.h>

uint64_t wi_hash64(const void *data, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(data, size, seed); }

void wi_hash128(const void *data, size_t size, uint8_t result[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    memcpy(result, canonical.digest, 16);
}
