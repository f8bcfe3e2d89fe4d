// SPDX-License-Identifier: MIT
#include "PNGShim.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

uint32_t wi_png_crc(const uint8_t *data, size_t size) { return libdeflate_crc32(0, data, size); }

static uint32_t big_endian(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline int paeth(int a, int b, int c) {
    const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Unfilters one row in place. `up` is the row above, unfiltered, or NULL for the first.
static bool unfilter(int filter, uint8_t *row, const uint8_t *up, size_t size, size_t pixel) {
    size_t i;
    switch (filter) {
    case 0: return true;
    case 1:
        for (i = pixel; i < size; i++) row[i] = (uint8_t)(row[i] + row[i - pixel]);
        return true;
    case 2:
        if (up)
            for (i = 0; i < size; i++) row[i] = (uint8_t)(row[i] + up[i]);
        return true;
    case 3:
        for (i = 0; i < size; i++) {
            const int left = i >= pixel ? row[i - pixel] : 0;
            row[i] = (uint8_t)(row[i] + ((left + (up ? up[i] : 0)) >> 1));
        }
        return true;
    case 4:
        for (i = 0; i < size; i++) {
            const int a = i >= pixel ? row[i - pixel] : 0, c = up && i >= pixel ? up[i - pixel] : 0;
            row[i] = (uint8_t)(row[i] + paeth(a, up ? up[i] : 0, c));
        }
        return true;
    default: return false;
    }
}

#if defined(__x86_64__)
#include <emmintrin.h>

static inline __m128i load4(const uint8_t *p) {
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}
static inline void store4(uint8_t *p, __m128i v) {
    int t = _mm_cvtsi128_si32(v);
    memcpy(p, &t, 4);
}
static inline __m128i magnitude(__m128i v) { return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v)); }
static inline __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

// Unfilters a row of 3- or 4-byte pixels straight into RGBA. `up` is the finished RGBA row above. A row of 3-byte pixels
// is read one byte past its end: the buffer has room behind it.
#define TO_RGBA(NAME, BYTES)                                                                                           \
    static bool NAME(int filter, const uint8_t *in, uint8_t *out, const uint8_t *up, size_t width) {                   \
        const __m128i zero = _mm_setzero_si128();                                                                      \
        const __m128i color = _mm_cvtsi32_si128(BYTES == 3 ? 0x00ffffff : -1);                                         \
        const __m128i full = _mm_cvtsi32_si128(BYTES == 3 ? (int)0xff000000u : 0);                                     \
        __m128i a = zero, c = zero;                                                                                    \
        switch (filter) {                                                                                              \
        case 0:                                                                                                        \
            for (size_t x = 0; x < width; x++)                                                                         \
                store4(out + 4 * x, _mm_or_si128(_mm_and_si128(load4(in + BYTES * x), color), full));                  \
            return true;                                                                                               \
        case 1:                                                                                                        \
            for (size_t x = 0; x < width; x++) {                                                                       \
                a = _mm_and_si128(_mm_add_epi8(a, load4(in + BYTES * x)), color);                                      \
                store4(out + 4 * x, _mm_or_si128(a, full));                                                            \
            }                                                                                                          \
            return true;                                                                                               \
        case 2:                                                                                                        \
            for (size_t x = 0; x < width; x++) {                                                                       \
                const __m128i v = _mm_add_epi8(load4(in + BYTES * x), load4(up + 4 * x));                              \
                store4(out + 4 * x, _mm_or_si128(_mm_and_si128(v, color), full));                                      \
            }                                                                                                          \
            return true;                                                                                               \
        case 3:                                                                                                        \
            for (size_t x = 0; x < width; x++) {                                                                       \
                const __m128i u = load4(up + 4 * x);                                                                   \
                __m128i mean = _mm_avg_epu8(a, u);                                                                     \
                mean = _mm_sub_epi8(mean, _mm_and_si128(_mm_xor_si128(a, u), _mm_set1_epi8(1)));                       \
                a = _mm_and_si128(_mm_add_epi8(mean, load4(in + BYTES * x)), color);                                   \
                store4(out + 4 * x, _mm_or_si128(a, full));                                                            \
            }                                                                                                          \
            return true;                                                                                               \
        case 4:                                                                                                        \
            for (size_t x = 0; x < width; x++) {                                                                       \
                const __m128i b = _mm_unpacklo_epi8(load4(up + 4 * x), zero);                                          \
                __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c);                                            \
                __m128i pc = magnitude(_mm_add_epi16(pa, pb));                                                         \
                pa = magnitude(pa);                                                                                    \
                pb = magnitude(pb);                                                                                    \
                const __m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));                                        \
                const __m128i guess =                                                                                  \
                    choose(_mm_cmpeq_epi16(least, pa), a, choose(_mm_cmpeq_epi16(least, pb), b, c));                   \
                const __m128i v = _mm_and_si128(                                                                       \
                    _mm_add_epi8(_mm_packus_epi16(guess, guess), load4(in + BYTES * x)), color);                       \
                store4(out + 4 * x, _mm_or_si128(v, full));                                                            \
                a = _mm_unpacklo_epi8(v, zero);                                                                        \
                c = b;                                                                                                 \
                if (BYTES == 3) c = _mm_insert_epi16(c, 0, 3);                                                         \
            }                                                                                                          \
            return true;                                                                                               \
        default: return false;                                                                                         \
        }                                                                                                              \
    }
TO_RGBA(rgb_row, 3)
TO_RGBA(rgba_row, 4)
#endif

static inline void put(uint8_t *to, uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
    to[0] = r;
    to[1] = g;
    to[2] = b;
    to[3] = a;
}

static inline unsigned sample(const uint8_t *row, size_t x, int depth) {
    if (depth == 8) return row[x];
    if (depth == 16) return (unsigned)row[2 * x] << 8 | row[2 * x + 1];
    const size_t bit = x * (size_t)depth;
    return row[bit >> 3] >> (8 - depth - (int)(bit & 7)) & ((1u << depth) - 1);
}

static inline uint8_t widen(unsigned v, int depth) {
    static const uint8_t factor[9] = {0, 255, 85, 0, 17, 0, 0, 0, 1};
    return depth == 16 ? (uint8_t)(v >> 8) : (uint8_t)(v * factor[depth]);
}

static void expand(const wi_png_fast_job *job, const uint8_t *row, uint8_t *to) {
    const int depth = job->depth;
    for (size_t x = 0; x < job->width; x++, to += 4) {
        switch (job->color_type) {
        case 0: {
            const unsigned v = sample(row, x, depth);
            const uint8_t g = widen(v, depth);
            put(to, g, g, g, job->has_key && v == job->key[0] ? 0 : 255);
            break;
        }
        case 2: {
            const unsigned r = sample(row, 3 * x, depth), g = sample(row, 3 * x + 1, depth),
                           b = sample(row, 3 * x + 2, depth);
            const bool clear = job->has_key && r == job->key[0] && g == job->key[1] && b == job->key[2];
            put(to, widen(r, depth), widen(g, depth), widen(b, depth), clear ? 0 : 255);
            break;
        }
        case 3: memcpy(to, job->palette + 4 * sample(row, x, depth), 4); break;
        case 4: {
            const uint8_t g = widen(sample(row, 2 * x, depth), depth);
            put(to, g, g, g, widen(sample(row, 2 * x + 1, depth), depth));
            break;
        }
        default:
            for (size_t c = 0; c < 4; c++) to[c] = widen(sample(row, 4 * x + c, depth), depth);
        }
    }
}

static const uint8_t *join(const wi_png_fast_job *job, uint8_t **owned, size_t *size) {
    size_t total = 0;
    for (size_t i = 0; i < job->idat_count; i++) {
        const wi_png_range r = job->idats[i];
        if (wi_png_crc(job->data + r.offset - 4, r.size + 4) != big_endian(job->data + r.offset + r.size)) return NULL;
        total += r.size;
    }
    *size = total;
    if (job->idat_count == 1) return job->data + job->idats[0].offset;
    uint8_t *joined = *owned = malloc(total ? total : 1);
    if (!joined) return NULL;
    for (size_t i = 0; i < job->idat_count; i++) {
        memcpy(joined, job->data + job->idats[i].offset, job->idats[i].size);
        joined += job->idats[i].size;
    }
    return *owned;
}

static wi_png_status unfilter_all(const wi_png_fast_job *job, uint8_t *raw, size_t row_size, size_t pixel) {
#if defined(__x86_64__)
    const bool direct = job->depth == 8 && !job->has_key && (job->color_type == 2 || job->color_type == 6);
    uint8_t *blank = direct ? calloc(job->width, 4) : NULL;
    if (direct && !blank) return WI_PNG_NO_MEMORY;
#endif
    wi_png_status status = WI_PNG_OK;
    const uint8_t *up = NULL;
    for (size_t y = 0; y < job->height && status == WI_PNG_OK; y++) {
        if (y % 64 == 0 && job->flag && wi_flag_is_raised(job->flag)) {
            status = WI_PNG_CANCELLED;
            break;
        }
        uint8_t *row = raw + y * (row_size + 1) + 1, *to = job->pixels + y * job->stride;
#if defined(__x86_64__)
        if (direct) {
            const uint8_t *above = y ? to - job->stride : blank;
            const bool good = job->color_type == 2 ? rgb_row(row[-1], row, to, above, job->width)
                                                   : rgba_row(row[-1], row, to, above, job->width);
            if (!good) status = WI_PNG_NOT_HERE;
            continue;
        }
#endif
        if (!unfilter(row[-1], row, up, row_size, pixel)) {
            status = WI_PNG_NOT_HERE;
            break;
        }
        expand(job, row, to);
        up = row;
    }
#if defined(__x86_64__)
    free(blank);
#endif
    return status;
}

wi_png_status wi_png_decode_fast(const wi_png_fast_job *job) {
    static const int channels[7] = {1, 0, 3, 1, 2, 0, 4};
    const size_t bits = (size_t)channels[job->color_type] * (size_t)job->depth;
    const size_t row_size = (job->width * bits + 7) / 8, pixel = bits < 8 ? 1 : bits / 8;
    size_t raw_size, packed_size = 0, got = 0;
    if (__builtin_mul_overflow(row_size + 1, (size_t)job->height, &raw_size) || raw_size > SIZE_MAX / 2)
        return WI_PNG_NO_MEMORY;
    uint8_t *owned = NULL;
    const uint8_t *packed = join(job, &owned, &packed_size);
    if (!packed) return WI_PNG_NOT_HERE;
    // Deflate packs 1,032 to 1 at most: a file that is too short for its claim costs no memory here.
    uint8_t *raw = raw_size / 1032 <= packed_size ? wi_pixels_allocate(raw_size + 16) : NULL;
    struct libdeflate_decompressor *inflater = raw ? libdeflate_alloc_decompressor() : NULL;
    wi_png_status status = WI_PNG_NOT_HERE;
    if (inflater && libdeflate_zlib_decompress(inflater, packed, packed_size, raw, raw_size, &got) == 0 &&
        got == raw_size) {
        memset(raw + raw_size, 0, 16);
        status = unfilter_all(job, raw, row_size, pixel);
    }
    if (inflater) libdeflate_free_decompressor(inflater);
    free(raw);
    free(owned);
    return status;
}

uint8_t *wi_png_inflate(const uint8_t *data, size_t size, size_t limit, size_t *result_size, bool *is_too_long) {
    *is_too_long = false;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint8_t *result = NULL;
    if (!inflater) return NULL;
    for (size_t room = size < 1024 ? 4096 : size > limit / 4 ? limit : 4 * size;;) {
        if (room > limit) room = limit;
        uint8_t *grown = realloc(result, room ? room : 1);
        if (!grown) break;
        result = grown;
        enum libdeflate_result found = libdeflate_zlib_decompress(inflater, data, size, result, room, result_size);
        if (found == LIBDEFLATE_SUCCESS) {
            libdeflate_free_decompressor(inflater);
            return result;
        }
        if (found != LIBDEFLATE_INSUFFICIENT_SPACE) break;
        if (room == limit) {
            *is_too_long = true;
            break;
        }
        room = room > limit / 2 ? limit : room * 2;
    }
    libdeflate_free_decompressor(inflater);
    free(result);
    return NULL;
}
