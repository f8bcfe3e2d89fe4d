// SPDX-License-Identifier: MIT
// The two passes with AVX2. Compiled into every x86-64 build and chosen at run time.
#include "Fixed.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define WI_AVX2 __attribute__((target("avx2")))
#define WI_AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

bool wi_has_avx2(void) { return __builtin_cpu_supports("avx2"); }

/// Sums of 32 bytes of a row: pixels 0 and 4, 1 and 5, 2 and 6, 3 and 7.
typedef struct wi_sums {
    __m256i s0, s1, s2, s3;
} wi_sums;

/// The bytes of two rows, side by side as 16-bit numbers, in the same order.
WI_AVX2_INLINE wi_sums widened(const uint8_t *upper, const uint8_t *lower) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i u = _mm256_loadu_si256((const __m256i *)upper), l = _mm256_loadu_si256((const __m256i *)lower);
    __m256i low = _mm256_unpacklo_epi8(u, l), high = _mm256_unpackhi_epi8(u, l);
    return (wi_sums){
        _mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero), _mm256_unpacklo_epi8(high, zero),
        _mm256_unpackhi_epi8(high, zero)};
}

WI_AVX2_INLINE void add(wi_sums *sums, const wi_sums *samples, uint32_t weights) {
    const __m256i w = _mm256_set1_epi32((int32_t)weights);
    sums->s0 = _mm256_add_epi32(sums->s0, _mm256_madd_epi16(samples->s0, w));
    sums->s1 = _mm256_add_epi32(sums->s1, _mm256_madd_epi16(samples->s1, w));
    sums->s2 = _mm256_add_epi32(sums->s2, _mm256_madd_epi16(samples->s2, w));
    sums->s3 = _mm256_add_epi32(sums->s3, _mm256_madd_epi16(samples->s3, w));
}

/// Two pixels as they lie in the middle: the even one's samples in the low halves, the odd one's in the high
/// ones.
WI_AVX2_INLINE __m256i interleaved(__m256i even, __m256i odd) {
    return _mm256_blend_epi16(
        _mm256_srli_epi32(even, WI_FIRST_SHIFT), _mm256_slli_epi32(odd, 16 - WI_FIRST_SHIFT), 0xAA);
}

WI_AVX2_INLINE void store(const wi_sums *sums, int16_t *target) {
    __m256i a = interleaved(sums->s0, sums->s1), b = interleaved(sums->s2, sums->s3);
    _mm256_storeu_si256((__m256i *)target, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)(target + 16), _mm256_permute2x128_si256(a, b, 0x31));
}

WI_AVX2 void wi_first_pass_avx2(
    const wi_row_plan *plan, const uint8_t *source, size_t pixels, int16_t *first, int16_t *second) {
    const wi_row_pair *both = plan->pairs + plan->first_count, *last = both + plan->both_count;
    const wi_row_pair *end = last + plan->second_count;
    size_t x = 0, bytes = pixels / 8 * 32;
    for (; x < bytes; x += 32, source += 32) {
        const __m256i start = _mm256_set1_epi32(WI_FIRST_START);
        wi_sums a = {start, start, start, start}, b = a;
        const wi_row_pair *pair = plan->pairs;
        for (; pair < both; pair++) {
            wi_sums samples = widened(source + pair->upper, source + pair->lower);
            add(&a, &samples, pair->first);
        }
        for (; pair < last; pair++) {
            wi_sums samples = widened(source + pair->upper, source + pair->lower);
            add(&a, &samples, pair->first);
            add(&b, &samples, pair->second);
        }
        for (; pair < end; pair++) {
            wi_sums samples = widened(source + pair->upper, source + pair->lower);
            add(&b, &samples, pair->second);
        }
        store(&a, first + x);
        store(&b, second + x);
    }
    if (pixels % 8 != 0) {
        wi_first_pass_scalar(plan, source, pixels % 8, first + x, second + x);
    }
}

/// The four sums of each of two rows, one row in each lane.
WI_AVX2_INLINE __m256i folded(__m256i a, __m256i b) {
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/// Rounds and packs the pixels of four rows: the first and the third in the low lane, the others in the high
/// one.
WI_AVX2_INLINE __m256i packed(__m256i s0, __m256i s1, __m256i s2, __m256i s3) {
    const __m256i start = _mm256_set1_epi32(WI_SECOND_START);
    const __m256i alphas = _mm256_setr_epi8(
        3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15,
        15, 15, 15);
    __m256i a = _mm256_srai_epi32(_mm256_add_epi32(folded(s0, s1), start), WI_SECOND_SHIFT);
    __m256i b = _mm256_srai_epi32(_mm256_add_epi32(folded(s2, s3), start), WI_SECOND_SHIFT);
    __m256i words = _mm256_packs_epi32(a, b), bytes = _mm256_packus_epi16(words, words);
    return _mm256_min_epu8(bytes, _mm256_shuffle_epi8(bytes, alphas));
}

WI_AVX2_INLINE void store_pixels(__m256i pixels, uint8_t *const *target, size_t offset) {
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(pixels));
    uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(pixels, 1));
    uint32_t rows[4] = {(uint32_t)low, (uint32_t)high, (uint32_t)(low >> 32), (uint32_t)(high >> 32)};
    for (int row = 0; row < 4; row++) {
        memcpy(target[row] + offset, &rows[row], 4);
    }
}

WI_AVX2 void wi_second_pass_avx2(
    const wi_weights *weights, size_t from, size_t to, size_t base, const int16_t *const *middle,
    uint8_t *const *target) {
    const __m256i spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const int16_t *m0 = middle[0], *m1 = middle[1], *m2 = middle[2], *m3 = middle[3];
    for (size_t x = from; x < to; x++) {
        wi_window window = weights->windows[x];
        const int16_t *k = weights->fixed + x * weights->taps;
        size_t at = ((size_t)window.start - base) * 4, end = at + (size_t)window.count * 4;
        __m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
        for (; at < end; at += 16, k += 4) {
            __m256i w = _mm256_permutevar8x32_epi32(
                _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)k)), spread);
            s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(w, _mm256_loadu_si256((const __m256i *)(m0 + at))));
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(w, _mm256_loadu_si256((const __m256i *)(m1 + at))));
            s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(w, _mm256_loadu_si256((const __m256i *)(m2 + at))));
            s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(w, _mm256_loadu_si256((const __m256i *)(m3 + at))));
        }
        store_pixels(packed(s0, s1, s2, s3), target, 4 * x);
    }
}
#endif
