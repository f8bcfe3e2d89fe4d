// SPDX-License-Identifier: MIT
#include "Fixed.h"

/// Pixels that the first pass takes at a time: their sums stay in registers where the compiler finds vectors.
enum { WI_RUN = 16 };

static inline void add_pair(
    int32_t *sums, const uint8_t *upper, const uint8_t *lower, uint32_t weights, size_t count) {
    int32_t over = (int16_t)(weights & 0xFFFF), under = (int16_t)(weights >> 16);
    for (size_t i = 0; i < count; i++) {
        sums[i] += upper[i] * over + lower[i] * under;
    }
}

static inline void store_middle(const int32_t *sums, size_t count, int16_t *target) {
    for (size_t i = 0; i < count; i++) {
        size_t pixel = i / 4, channel = i % 4;
        target[pixel / 2 * 8 + channel * 2 + pixel % 2] = (int16_t)(sums[i] >> WI_FIRST_SHIFT);
    }
}

static inline void first_pass_run(
    const wi_row_plan *plan, const uint8_t *source, size_t count, int16_t *first, int16_t *second) {
    int32_t a[4 * WI_RUN], b[4 * WI_RUN];
    for (size_t i = 0; i < count; i++) {
        a[i] = b[i] = WI_FIRST_START;
    }
    const wi_row_pair *pair = plan->pairs;
    for (size_t t = 0; t < plan->first_count + plan->both_count; t++) {
        add_pair(a, source + pair[t].upper, source + pair[t].lower, pair[t].first, count);
    }
    pair += plan->first_count;
    for (size_t t = 0; t < plan->both_count + plan->second_count; t++) {
        add_pair(b, source + pair[t].upper, source + pair[t].lower, pair[t].second, count);
    }
    store_middle(a, count, first);
    store_middle(b, count, second);
}

void wi_first_pass_scalar(
    const wi_row_plan *plan, const uint8_t *source, size_t pixels, int16_t *first, int16_t *second) {
    size_t x = 0;
    for (; x + WI_RUN <= pixels; x += WI_RUN) {
        first_pass_run(plan, source + 4 * x, 4 * WI_RUN, first + 4 * x, second + 4 * x);
    }
    if (x < pixels) {
        first_pass_run(plan, source + 4 * x, 4 * (pixels - x), first + 4 * x, second + 4 * x);
    }
}

static inline uint8_t sample(int32_t sum) {
    int32_t value = sum >> WI_SECOND_SHIFT;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline void second_pass_pixel(
    const int16_t *middle, const int16_t *weights, size_t pairs, uint8_t *target) {
    int32_t sums[4] = {WI_SECOND_START, WI_SECOND_START, WI_SECOND_START, WI_SECOND_START};
    for (size_t t = 0; t < pairs; t++) {
        for (int channel = 0; channel < 4; channel++) {
            sums[channel] += middle[8 * t + 2 * (size_t)channel] * weights[2 * t]
                + middle[8 * t + 2 * (size_t)channel + 1] * weights[2 * t + 1];
        }
    }
    uint8_t alpha = sample(sums[3]);
    for (int channel = 0; channel < 3; channel++) {
        uint8_t value = sample(sums[channel]);
        target[channel] = value < alpha ? value : alpha;
    }
    target[3] = alpha;
}

void wi_second_pass_scalar(
    const wi_weights *weights, size_t from, size_t to, size_t base, const int16_t *const *middle,
    uint8_t *const *target) {
    for (size_t row = 0; row < WI_ROW_GROUP; row++) {
        for (size_t x = from; x < to; x++) {
            wi_window window = weights->windows[x];
            second_pass_pixel(
                middle[row] + ((size_t)window.start - base) * 4, weights->fixed + x * weights->taps,
                ((size_t)window.count + 1) / 2, target[row] + 4 * x);
        }
    }
}
