// SPDX-License-Identifier: MIT
// The filters of PNG (section 9) undone, from RGB or RGBA bytes straight into RGBA.
#include "Common.h"

#include <string.h>

static void plain_row(int filter, const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width,
                      size_t channels) {
    uint8_t left[4] = {0}, corner[4] = {0};
    for (size_t x = 0; x < width; x++, in += channels, up += 4, out += 4) {
        for (size_t c = 0; c < channels; c++) {
            uint8_t value = in[c];
            switch (filter) {
            case 1: value += left[c]; break;
            case 2: value += up[c]; break;
            case 3: value += (uint8_t)((left[c] + up[c]) >> 1); break;
            case 4: value += wi_png_paeth(left[c], up[c], corner[c]); break;
            default: break;
            }
            out[c] = left[c] = value;
            corner[c] = up[c];
        }
        if (channels == 3) out[3] = 255;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTOR static inline __attribute__((always_inline, target("sse4.1")))
#define KERNEL static __attribute__((target("sse4.1")))

VECTOR __m128i load4(const uint8_t *p) {
    int32_t v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}
VECTOR void store4(uint8_t *p, __m128i v) {
    const int32_t t = _mm_cvtsi128_si32(v);
    memcpy(p, &t, 4);
}
/// Four pixels as RGBA; the alpha of RGB is 0.
VECTOR __m128i load_pixels(const uint8_t *p, int channels) {
    const __m128i v = _mm_loadu_si128((const __m128i *)p);
    const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    return channels == 3 ? _mm_shuffle_epi8(v, spread) : v;
}

/// Filter types 0 to 2, four pixels at a time.
VECTOR void parallel_row(int filter, const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width,
                         int channels) {
    const __m128i opaque = _mm_set1_epi32(channels == 3 ? (int32_t)0xff000000 : 0);
    __m128i carry = _mm_setzero_si128();
    size_t x = 0;
    for (; x + 4 <= width; x += 4) {
        __m128i v = load_pixels(in + x * (size_t)channels, channels);
        if (filter == 1) {
            v = _mm_add_epi8(v, _mm_slli_si128(v, 4));
            v = _mm_add_epi8(v, _mm_slli_si128(v, 8));
            v = _mm_add_epi8(v, carry);
            carry = _mm_shuffle_epi32(v, 0xff);
        } else if (filter == 2) {
            v = _mm_add_epi8(v, _mm_loadu_si128((const __m128i *)(up + 4 * x)));
        }
        _mm_storeu_si128((__m128i *)(out + 4 * x), _mm_or_si128(v, opaque));
    }
    for (; x < width; x++) {
        __m128i v = load4(in + x * (size_t)channels);
        if (filter == 1) {
            v = carry = _mm_add_epi8(v, carry);
        } else if (filter == 2) {
            v = _mm_add_epi8(v, load4(up + 4 * x));
        }
        store4(out + 4 * x, _mm_or_si128(v, opaque));
    }
}

/// Filter type 3. The left pixel is kept inverted: the rounded-up mean of inverted values is the inverted
/// rounded-down mean, so that a pixel waits for one mean and one subtraction.
VECTOR void average_row(const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width, int channels) {
    const __m128i ones = _mm_set1_epi8(-1), opaque = _mm_set1_epi32(channels == 3 ? (int32_t)0xff000000 : 0);
    __m128i left = ones;
    for (size_t x = 0; x < width; x++) {
        const __m128i b = _mm_xor_si128(load4(up + 4 * x), ones);
        left = _mm_sub_epi8(_mm_avg_epu8(left, b), load4(in + x * (size_t)channels));
        store4(out + 4 * x, _mm_or_si128(_mm_xor_si128(left, ones), opaque));
    }
}

/// One step of filter type 4 in 16-bit lanes whose high bytes are 0.
VECTOR __m128i paeth_step(__m128i in, __m128i a, __m128i b, __m128i c) {
    __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c), pc = _mm_add_epi16(pa, pb);
    pa = _mm_abs_epi16(pa);
    pb = _mm_abs_epi16(pb);
    pc = _mm_abs_epi16(pc);
    const __m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    __m128i predicted = _mm_blendv_epi8(c, b, _mm_cmpeq_epi16(least, pb));
    predicted = _mm_blendv_epi8(predicted, a, _mm_cmpeq_epi16(least, pa));
    return _mm_add_epi8(in, predicted);
}

VECTOR void paeth_row(const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width, int channels) {
    const __m128i opaque = _mm_set1_epi32(channels == 3 ? (int32_t)0xff000000 : 0);
    __m128i a = _mm_setzero_si128(), c = a;
    for (size_t x = 0; x < width; x++) {
        const __m128i b = _mm_cvtepu8_epi16(load4(up + 4 * x));
        a = paeth_step(_mm_cvtepu8_epi16(load4(in + x * (size_t)channels)), a, b, c);
        c = b;
        store4(out + 4 * x, _mm_or_si128(_mm_packus_epi16(a, a), opaque));
    }
}

/// Two rows of filter type 4 in one register, the lower one a pixel behind: each pixel waits for its left
/// neighbour alone, so this is twice as fast.
VECTOR void paeth_pair(const uint8_t *first, const uint8_t *second, const uint8_t *up, uint8_t *out,
                       size_t stride, size_t width, int channels) {
    const __m128i opaque = _mm_set1_epi32(channels == 3 ? (int32_t)0xff000000 : 0);
    const size_t step = (size_t)channels;
    uint8_t *const below = out + stride;
    __m128i up_pixel = _mm_cvtepu8_epi16(load4(up));
    const __m128i zero = _mm_setzero_si128();
    __m128i a = paeth_step(_mm_cvtepu8_epi16(load4(first)), zero, up_pixel, zero);
    a = _mm_and_si128(a, _mm_setr_epi32(-1, -1, 0, 0));
    store4(out, _mm_or_si128(_mm_packus_epi16(a, a), opaque));
    // c's lower half is the pixel up and left of the first row's next one; its upper half is outside.
    __m128i c = _mm_and_si128(up_pixel, _mm_setr_epi32(-1, -1, 0, 0));
    for (size_t x = 1; x < width; x++) {
        up_pixel = _mm_cvtepu8_epi16(load4(up + 4 * x));
        const __m128i b = _mm_unpacklo_epi64(up_pixel, a);
        const __m128i in = _mm_cvtepu8_epi16(
            _mm_unpacklo_epi32(load4(first + x * step), load4(second + (x - 1) * step)));
        a = paeth_step(in, a, b, c);
        c = b;
        const __m128i bytes = _mm_or_si128(_mm_packus_epi16(a, a), opaque);
        store4(out + 4 * x, bytes);
        store4(below + 4 * (x - 1), _mm_srli_si128(bytes, 4));
    }
    const __m128i last = _mm_cvtepu8_epi16(load4(second + (width - 1) * step));
    a = paeth_step(last, _mm_unpackhi_epi64(a, a), a, _mm_unpackhi_epi64(c, c));
    store4(below + 4 * (width - 1), _mm_or_si128(_mm_packus_epi16(a, a), opaque));
}

VECTOR void vector_row(int filter, const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width,
                       int channels) {
    switch (filter) {
    case 0: parallel_row(0, in, up, out, width, channels); break;
    case 1: parallel_row(1, in, up, out, width, channels); break;
    case 2: parallel_row(2, in, up, out, width, channels); break;
    case 3: average_row(in, up, out, width, channels); break;
    default: paeth_row(in, up, out, width, channels); break;
    }
}

KERNEL void vector_row3(int filter, const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width) {
    vector_row(filter, in, up, out, width, 3);
}
KERNEL void vector_row4(int filter, const uint8_t *in, const uint8_t *up, uint8_t *out, size_t width) {
    vector_row(filter, in, up, out, width, 4);
}
KERNEL void paeth_pair3(const uint8_t *first, const uint8_t *second, const uint8_t *up, uint8_t *out,
                        size_t stride, size_t width) {
    paeth_pair(first, second, up, out, stride, width, 3);
}
KERNEL void paeth_pair4(const uint8_t *first, const uint8_t *second, const uint8_t *up, uint8_t *out,
                        size_t stride, size_t width) {
    paeth_pair(first, second, up, out, stride, width, 4);
}

static bool has_vector_code(void) { return __builtin_cpu_supports("sse4.1"); }
#endif

void wi_png_unfilter_to_rgba(int filter, const uint8_t *source, const uint8_t *above, uint8_t *target,
                             size_t width, int channels, bool vector) {
#if defined(__x86_64__)
    if (vector && has_vector_code()) {
        if (channels == 3) {
            vector_row3(filter, source, above, target, width);
        } else {
            vector_row4(filter, source, above, target, width);
        }
        return;
    }
#endif
    (void)vector;
    plain_row(filter, source, above, target, width, (size_t)channels);
}

void wi_png_unfilter_pair_to_rgba(const int filters[2], const uint8_t *first, const uint8_t *second,
                                  const uint8_t *above, uint8_t *target, size_t stride, size_t width,
                                  int channels, bool vector) {
#if defined(__x86_64__)
    if (vector && filters[0] == 4 && filters[1] == 4 && width > 1 && has_vector_code()) {
        if (channels == 3) {
            paeth_pair3(first, second, above, target, stride, width);
        } else {
            paeth_pair4(first, second, above, target, stride, width);
        }
        return;
    }
#endif
    wi_png_unfilter_to_rgba(filters[0], first, above, target, width, channels, vector);
    wi_png_unfilter_to_rgba(filters[1], second, target, target + stride, width, channels, vector);
}
