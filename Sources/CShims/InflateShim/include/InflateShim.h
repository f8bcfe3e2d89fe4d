// SPDX-License-Identifier: MIT
// Decompression of HTTP bodies as they come: gzip (RFC 1952, several members too), and what servers call deflate (RFC 1950,
// or RFC 1951 alone).
#ifndef WI_INFLATE_SHIM_H
#define WI_INFLATE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wi_inflater wi_inflater;

typedef enum wi_inflate_result {
    WI_INFLATE_GOES_ON,
    WI_INFLATE_DAMAGED,
    WI_INFLATE_NO_MEMORY,
} wi_inflate_result;

/// NULL when there is no memory.
wi_inflater *wi_inflater_new(bool is_gzip);
void wi_inflater_free(wi_inflater *inflater);
/// Takes from `input` and puts into `output`; the counts come in as what is there and go out as what was used. Call it
/// again while it filled the output.
wi_inflate_result wi_inflater_step(
    wi_inflater *inflater, const void *input, size_t *input_count, void *output, size_t *output_count);
/// Whether the bytes so far are whole.
bool wi_inflater_is_complete(const wi_inflater *inflater);

/// CRC-32 (RFC 1952, section 8) of bytes that follow others of the checksum `before`, 0 at first.
uint32_t wi_crc32(uint32_t before, const void *bytes, size_t count);

#endif
