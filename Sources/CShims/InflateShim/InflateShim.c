// SPDX-License-Identifier: MIT
#include "InflateShim.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct wi_inflater {
    z_stream stream;
    bool is_gzip;
    bool is_open;
    /// At the end of a member, or before any byte: a cut here is none.
    bool is_between;
    /// After the last member: what follows is padding, which browsers and gzip ignore.
    bool has_ended;
};

wi_inflater *wi_inflater_new(bool is_gzip) {
    wi_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return NULL;
    inflater->is_gzip = is_gzip;
    inflater->is_between = true;
    return inflater;
}

void wi_inflater_free(wi_inflater *inflater) {
    if (!inflater) return;
    if (inflater->is_open) inflateEnd(&inflater->stream);
    free(inflater);
}

bool wi_inflater_is_complete(const wi_inflater *inflater) { return inflater->is_between; }

/// Begins a member, whose first byte says what it is.
static int begin(wi_inflater *inflater, uint8_t first) {
    if (inflater->is_open) {
        // Another member of gzip, or no member at all.
        if (!inflater->is_gzip || first != 0x1F) {
            inflater->has_ended = true;
            return Z_OK;
        }
        return inflateReset(&inflater->stream);
    }
    // A zlib header names method 8; no raw stream that a compressor writes begins so.
    int bits = inflater->is_gzip ? 15 + 16 : (first & 0x0F) == 8 ? 15 : -15;
    int code = inflateInit2(&inflater->stream, bits);
    inflater->is_open = code == Z_OK;
    return code;
}

wi_inflate_result wi_inflater_step(
    wi_inflater *inflater, const void *input, size_t *input_count, void *output, size_t *output_count) {
    size_t room = *output_count < INT_MAX ? *output_count : INT_MAX;
    size_t there = *input_count < INT_MAX ? *input_count : INT_MAX;
    *input_count = *output_count = 0;
    if (there == 0 && inflater->is_between) return WI_INFLATE_GOES_ON;
    if (inflater->is_between && !inflater->has_ended) {
        int code = begin(inflater, *(const uint8_t *)input);
        if (code != Z_OK) return code == Z_MEM_ERROR ? WI_INFLATE_NO_MEMORY : WI_INFLATE_DAMAGED;
        inflater->is_between = inflater->has_ended;
    }
    if (inflater->has_ended) {
        *input_count = there;
        return WI_INFLATE_GOES_ON;
    }
    z_stream *stream = &inflater->stream;
    stream->next_in = (Bytef *)input;
    stream->avail_in = (uInt)there;
    stream->next_out = output;
    stream->avail_out = (uInt)room;
    int code = inflate(stream, Z_NO_FLUSH);
    *input_count = there - stream->avail_in;
    *output_count = room - stream->avail_out;
    if (code == Z_STREAM_END) inflater->is_between = true;
    // Z_BUF_ERROR: nothing to take or no room; the next call goes on.
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return WI_INFLATE_GOES_ON;
    return code == Z_MEM_ERROR ? WI_INFLATE_NO_MEMORY : WI_INFLATE_DAMAGED;
}

uint32_t wi_crc32(uint32_t before, const void *bytes, size_t count) {
    return (uint32_t)crc32_z(before, (const Bytef *)bytes, count);
}
