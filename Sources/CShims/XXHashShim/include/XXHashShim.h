// SPDX-License-Identifier: MIT
// The two hashes of a stored entry, behind functions without unions and macros.
#ifndef WI_XXHASH_SHIM_H
#define WI_XXHASH_SHIM_H

#include <stddef.h>
#include <stdint.h>

/// XXH3, 64 bits.
uint64_t wi_hash64(const void *data, size_t size, uint64_t seed);
/// XXH3, 128 bits, as the 16 bytes of its canonical form.
void wi_hash128(const void *data, size_t size, uint8_t result[16]);

#endif
