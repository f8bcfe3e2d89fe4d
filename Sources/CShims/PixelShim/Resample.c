// SPDX-License-Identifier: MIT
// Separable resampling. The vertical pass comes first: it needs no shuffles, and leaves the horizontal one only the rows
// of the output. It goes in blocks of columns, so that the source rows which neighbouring output rows share stay in the
// first-level cache.
#include "PixelShim.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 14, HALF = 1 << (PRECISION - 1), BLOCK = 1024 };

static inline uint8_t clamp8(int32_t value) {
    value >>= PRECISION;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void vertical_scalar(const uint8_t *rows, size_t stride, const int16_t *weights, int32_t taps, uint8_t *target,
                            size_t from, size_t bytes) {
    for (size_t x = from; x < bytes; x++) {
        int32_t sum = HALF;
        const uint8_t *p = rows + x;
        for (int32_t t = 0; t < taps; t++, p += stride) sum += *p * weights[t];
        target[x] = clamp8(sum);
    }
}

static void horizontal_scalar(const uint8_t *source, wi_axis axis, size_t width, uint8_t *target) {
    for (size_t x = 0; x < width; x++) {
        const uint8_t *p = source + (size_t)axis.starts[x] * 4;
        const int16_t *k = axis.weights + x * (size_t)axis.taps;
        int32_t sum[4] = {HALF, HALF, HALF, HALF};
        for (int32_t t = 0; t < axis.taps; t++)
            for (int c = 0; c < 4; c++) sum[c] += p[4 * t + c] * k[t];
        for (int c = 0; c < 4; c++) target[4 * x + c] = clamp8(sum[c]);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))

// 64 bytes at a time: four accumulators of 8 would leave the multiplier waiting for loads.
AVX2 static size_t vertical_avx2(const uint8_t *rows, size_t stride, const int16_t *weights, int32_t taps,
                                 uint8_t *target, size_t bytes) {
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(HALF);
    size_t x = 0;
    for (; x + 32 <= bytes; x += 32) {
        __m256i a0 = half, a1 = half, a2 = half, a3 = half;
        const uint8_t *p = rows + x;
        int32_t t = 0;
        for (; t + 2 <= taps; t += 2, p += 2 * stride) {
            int32_t pair;
            memcpy(&pair, weights + t, 4);
            const __m256i w = _mm256_set1_epi32(pair);
            const __m256i u = _mm256_loadu_si256((const __m256i *)p);
            const __m256i v = _mm256_loadu_si256((const __m256i *)(p + stride));
            const __m256i lo = _mm256_unpacklo_epi8(u, v), hi = _mm256_unpackhi_epi8(u, v);
            a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(_mm256_unpacklo_epi8(lo, zero), w));
            a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(_mm256_unpackhi_epi8(lo, zero), w));
            a2 = _mm256_add_epi32(a2, _mm256_madd_epi16(_mm256_unpacklo_epi8(hi, zero), w));
            a3 = _mm256_add_epi32(a3, _mm256_madd_epi16(_mm256_unpackhi_epi8(hi, zero), w));
        }
        if (t < taps) {
            const __m256i w = _mm256_set1_epi32((uint16_t)weights[t]);
            const __m256i u = _mm256_loadu_si256((const __m256i *)p);
            const __m256i lo = _mm256_unpacklo_epi8(u, zero), hi = _mm256_unpackhi_epi8(u, zero);
            a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(_mm256_unpacklo_epi16(lo, zero), w));
            a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(_mm256_unpackhi_epi16(lo, zero), w));
            a2 = _mm256_add_epi32(a2, _mm256_madd_epi16(_mm256_unpacklo_epi16(hi, zero), w));
            a3 = _mm256_add_epi32(a3, _mm256_madd_epi16(_mm256_unpackhi_epi16(hi, zero), w));
        }
        a0 = _mm256_packs_epi32(_mm256_srai_epi32(a0, PRECISION), _mm256_srai_epi32(a1, PRECISION));
        a2 = _mm256_packs_epi32(_mm256_srai_epi32(a2, PRECISION), _mm256_srai_epi32(a3, PRECISION));
        _mm256_storeu_si256((__m256i *)(target + x), _mm256_packus_epi16(a0, a2));
    }
    return x;
}

AVX2 static inline void finish_pixel(__m256i sum, uint8_t *target) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    s = _mm_srai_epi32(s, PRECISION);
    s = _mm_packs_epi32(s, s);
    s = _mm_packus_epi16(s, s);
    int32_t pixel = _mm_cvtsi128_si32(s);
    memcpy(target, &pixel, 4);
}

// Four taps a step: each lane of the shuffled pixels holds one channel of two neighbours, beside their two weights.
// Four rows share the weights.
AVX2 static void horizontal_avx2(const uint8_t *source, size_t source_stride, wi_axis axis, size_t width, size_t rows,
                                 uint8_t *target, size_t target_stride) {
    const __m256i spread = _mm256_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1, 8, -1, 12, -1, 9, -1,
                                            13, -1, 10, -1, 14, -1, 11, -1, 15, -1);
    const __m256i pairs = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const __m256i half = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi32(HALF), 0);
    for (size_t x = 0; x < width; x++) {
        const int16_t *k = axis.weights + x * (size_t)axis.taps;
        const uint8_t *p = source + (size_t)axis.starts[x] * 4;
        size_t row = 0;
        for (; row + 4 <= rows; row += 4, p += 4 * source_stride) {
            __m256i s0 = half, s1 = half, s2 = half, s3 = half;
            for (int32_t t = 0; t < axis.taps; t += 4) {
                const __m256i w = _mm256_permutevar8x32_epi32(
                    _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(k + t))), pairs);
                const uint8_t *q = p + 4 * t;
#define STEP(S, N)                                                                                                     \
    S = _mm256_add_epi32(S, _mm256_madd_epi16(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(         \
                                                                      (const __m128i *)(q + (N) * source_stride))),    \
                                                                  spread),                                             \
                                              w))
                STEP(s0, 0);
                STEP(s1, 1);
                STEP(s2, 2);
                STEP(s3, 3);
            }
            finish_pixel(s0, target + row * target_stride + 4 * x);
            finish_pixel(s1, target + (row + 1) * target_stride + 4 * x);
            finish_pixel(s2, target + (row + 2) * target_stride + 4 * x);
            finish_pixel(s3, target + (row + 3) * target_stride + 4 * x);
        }
        for (; row < rows; row++, p += source_stride) {
            __m256i s0 = half;
            for (int32_t t = 0; t < axis.taps; t += 4) {
                const __m256i w = _mm256_permutevar8x32_epi32(
                    _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(k + t))), pairs);
                const uint8_t *q = p + 4 * t;
                STEP(s0, 0);
            }
            finish_pixel(s0, target + row * target_stride + 4 * x);
        }
    }
}
#endif

static int vector_kernels = -1;

bool wi_vector_kernels(void) {
    int known = __atomic_load_n(&vector_kernels, __ATOMIC_RELAXED);
    if (known >= 0) return known;
#if defined(__x86_64__)
    known = __builtin_cpu_supports("avx2") != 0;
#else
    known = 0;
#endif
    __atomic_store_n(&vector_kernels, known, __ATOMIC_RELAXED);
    return known;
}

void wi_set_vector_kernels(bool allowed) {
    __atomic_store_n(&vector_kernels, allowed ? -1 : 0, __ATOMIC_RELAXED);
}

void wi_resample_vertical(const uint8_t *source, size_t source_stride, wi_axis axis, size_t first, size_t count,
                          uint8_t *target, size_t target_stride, size_t bytes) {
    const bool vector = wi_vector_kernels();
    for (size_t x = 0; x < bytes; x += BLOCK) {
        const size_t width = bytes - x < BLOCK ? bytes - x : BLOCK;
        for (size_t y = 0; y < count; y++) {
            const int16_t *weights = axis.weights + (first + y) * (size_t)axis.taps;
            size_t start = (size_t)axis.starts[first + y];
            int32_t taps = axis.taps;
            while (taps > 1 && weights[taps - 1] == 0) taps--;
            while (taps > 1 && weights[0] == 0) weights++, start++, taps--;
            const uint8_t *rows = source + start * source_stride + x;
            uint8_t *row = target + y * target_stride + x;
            size_t done = 0;
#if defined(__x86_64__)
            if (vector) done = vertical_avx2(rows, source_stride, weights, taps, row, width);
#else
            (void)vector;
#endif
            vertical_scalar(rows, source_stride, weights, taps, row, done, width);
        }
    }
}

void wi_resample_horizontal(const uint8_t *source, size_t source_stride, wi_axis axis, size_t width, size_t rows,
                            uint8_t *target, size_t target_stride) {
#if defined(__x86_64__)
    if (wi_vector_kernels() && axis.taps % 4 == 0) {
        horizontal_avx2(source, source_stride, axis, width, rows, target, target_stride);
        return;
    }
#endif
    for (size_t y = 0; y < rows; y++)
        horizontal_scalar(source + y * source_stride, axis, width, target + y * target_stride);
}

static inline void load_wide(const void *row, size_t x, int bits, bool premultiplies, float *pixel) {
    for (size_t c = 0; c < 4; c++)
        pixel[c] = bits == 16 ? ((const uint16_t *)row)[4 * x + c] : ((const uint8_t *)row)[4 * x + c];
    if (premultiplies) {
        const float alpha = pixel[3] / (bits == 16 ? 65535.0f : 255.0f);
        for (int c = 0; c < 3; c++) pixel[c] *= alpha;
    }
}

static inline void store_wide(float *pixel, size_t x, int bits, bool premultiplies, void *row) {
    const float most = bits == 16 ? 65535.0f : 255.0f;
    if (premultiplies) {
        const float alpha = pixel[3] / most;
        for (int c = 0; c < 3; c++) pixel[c] = alpha > 0 ? pixel[c] / alpha : 0;
    }
    for (size_t c = 0; c < 4; c++) {
        float v = rintf(pixel[c]);
        v = v < 0 ? 0 : v > most ? most : v;
        if (bits == 16)
            ((uint16_t *)row)[4 * x + c] = (uint16_t)v;
        else
            ((uint8_t *)row)[4 * x + c] = (uint8_t)v;
    }
}

void wi_resample_wide_row(const void *source, size_t source_stride, size_t source_width, int bits, bool premultiplies,
                          wi_wide_axis vertical, size_t row, wi_wide_axis horizontal, size_t target_width,
                          float *scratch, void *target) {
    memset(scratch, 0, source_width * 4 * sizeof(float));
    for (int32_t t = 0; t < vertical.taps; t++) {
        const float w = vertical.weights[row * (size_t)vertical.taps + (size_t)t];
        if (w == 0) continue;
        const uint8_t *from = (const uint8_t *)source + ((size_t)vertical.starts[row] + (size_t)t) * source_stride;
        for (size_t x = 0; x < source_width; x++) {
            float pixel[4];
            load_wide(from, x, bits, premultiplies, pixel);
            for (size_t c = 0; c < 4; c++) scratch[4 * x + c] += pixel[c] * w;
        }
    }
    for (size_t x = 0; x < target_width; x++) {
        const float *k = horizontal.weights + x * (size_t)horizontal.taps;
        const float *p = scratch + (size_t)horizontal.starts[x] * 4;
        float sum[4] = {0, 0, 0, 0};
        for (int32_t t = 0; t < horizontal.taps; t++)
            for (int c = 0; c < 4; c++) sum[c] += p[4 * t + c] * k[t];
        store_wide(sum, x, bits, premultiplies, target);
    }
}
