// SPDX-License-Identifier: MIT
#include "Weights.h"

#include <math.h>
#include <stdlib.h>

static double cubic(double x, double b, double c) {
    if (x < 1) {
        return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6;
    }
    if (x < 2) {
        return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x
                + (8 * b + 24 * c))
            / 6;
    }
    return 0;
}

static double lanczos3(double x) {
    if (x >= 3) {
        return 0;
    }
    if (x < 1e-9) {
        return 1;
    }
    double angle = 3.14159265358979323846 * x;
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle);
}

static double kernel(wi_filter filter, double x) {
    double distance = fabs(x);
    switch (filter) {
    case WI_FILTER_NEAREST:
    // Open on one side, so that a pixel on the border of two outputs goes into one of them.
    case WI_FILTER_BOX: return x > -0.5 && x <= 0.5 ? 1 : 0;
    case WI_FILTER_BILINEAR: return distance < 1 ? 1 - distance : 0;
    case WI_FILTER_CATMULL_ROM: return cubic(distance, 0, 0.5);
    case WI_FILTER_MITCHELL: return cubic(distance, 1.0 / 3, 1.0 / 3);
    case WI_FILTER_LANCZOS3: return lanczos3(distance);
    }
    return 0;
}

static double support(wi_filter filter) {
    switch (filter) {
    case WI_FILTER_NEAREST:
    case WI_FILTER_BOX: return 0.5;
    case WI_FILTER_BILINEAR: return 1;
    case WI_FILTER_CATMULL_ROM:
    case WI_FILTER_MITCHELL: return 2;
    case WI_FILTER_LANCZOS3: return 3;
    }
    return 0.5;
}

/// How much wider than at scale 1 the kernel is: what shrinks must average all that it covers.
static double widening(wi_filter filter, wi_direction direction) {
    if (filter == WI_FILTER_NEAREST) {
        return 1;
    }
    double ratio = direction.length / (double)direction.size;
    return ratio > 1 ? ratio : 1;
}

size_t wi_weights_taps(wi_filter filter, wi_direction direction) {
    double covered = ceil(2 * support(filter) * widening(filter, direction)) + 1;
    return covered < (double)direction.source ? (size_t)covered : direction.source;
}

size_t wi_weights_bytes(wi_filter filter, wi_direction direction) {
    // One more for rounding up to pairs.
    return sizeof(wi_window) + (wi_weights_taps(filter, direction) + 1) * sizeof(float);
}

/// The window of output `index`, and its weights, which sum to 1.
static wi_window real_window(
    wi_filter filter, wi_direction direction, size_t index, size_t taps, double *weights) {
    double ratio = direction.length / (double)direction.size, wide = widening(filter, direction);
    double center = direction.start + ((double)index + 0.5) * ratio, reach = support(filter) * wide;
    double first = ceil(center - reach - 0.5), last = floor(center + reach - 0.5),
           end = (double)direction.source - 1;
    first = first < 0 ? 0 : first > end ? end : first;
    last = last > end ? end : last < first ? first : last;
    wi_window window = {(int32_t)first, (int32_t)(last - first) + 1};
    if ((size_t)window.count > taps) {
        window.count = (int32_t)taps;
    }
    double sum = 0;
    for (int32_t t = 0; t < window.count; t++) {
        sum += weights[t] = kernel(filter, ((double)window.start + t + 0.5 - center) / wide);
    }
    if (!(sum > 1e-6)) {
        double nearest = floor(center) < end ? floor(center) : end;
        weights[0] = 1;
        return (wi_window){(int32_t)(nearest < 0 ? 0 : nearest), 1};
    }
    for (int32_t t = 0; t < window.count; t++) {
        weights[t] /= sum;
    }
    return window;
}

/// Rounds running sums, not weights: the sum is exact and no weight takes the errors of all.
static bool fix(const double *weights, int32_t count, int16_t *fixed) {
    double sum = 0;
    long before = 0, magnitude = 0;
    for (int32_t t = 0; t < count; t++) {
        sum += weights[t];
        long now = t == count - 1 ? WI_WEIGHT_ONE : lrint(sum * WI_WEIGHT_ONE);
        long weight = now - before;
        magnitude += labs(weight);
        if (magnitude > WI_WEIGHT_MOST) {
            return false;
        }
        fixed[t] = (int16_t)weight;
        before = now;
    }
    return true;
}

static bool fill(
    wi_weights *weights, wi_filter filter, wi_direction direction, size_t align, size_t most, double *row) {
    for (size_t i = 0; i < weights->size; i++) {
        wi_window window = real_window(filter, direction, i, most, row);
        int32_t moved = window.start % (int32_t)align;
        if (weights->fixed && !fix(row, window.count, weights->fixed + i * weights->taps + moved)) {
            return false;
        }
        for (int32_t t = 0; weights->real && t < window.count; t++) {
            weights->real[i * weights->taps + (size_t)(moved + t)] = (float)row[t];
        }
        weights->windows[i] = (wi_window){window.start - moved, window.count + moved};
    }
    return true;
}

wi_resample_result wi_weights_make(
    wi_weights *weights, wi_filter filter, wi_direction direction, size_t align, size_t round, bool fixed) {
    size_t most = wi_weights_taps(filter, direction), taps = (most + align - 1 + round - 1) / round * round,
           bytes;
    *weights = (wi_weights){.size = direction.size, .taps = taps};
    if (__builtin_mul_overflow(taps * sizeof(float), direction.size, &bytes)) {
        return WI_RESAMPLE_NO_MEMORY;
    }
    weights->windows = calloc(direction.size, sizeof(wi_window));
    double *row = malloc(most * sizeof(double));
    if (fixed) {
        weights->fixed = calloc(direction.size * taps, sizeof(int16_t));
    } else {
        weights->real = calloc(direction.size * taps, sizeof(float));
    }
    bool has_memory = weights->windows && row && (weights->fixed || weights->real);
    bool fits = has_memory && fill(weights, filter, direction, align, most, row);
    free(row);
    if (!fits) {
        wi_weights_free(weights);
        return has_memory ? WI_RESAMPLE_UNFIT : WI_RESAMPLE_NO_MEMORY;
    }
    return WI_RESAMPLE_DONE;
}

void wi_weights_free(wi_weights *weights) {
    free(weights->windows);
    free(weights->fixed);
    free(weights->real);
    *weights = (wi_weights){0};
}
