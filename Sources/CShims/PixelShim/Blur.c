// SPDX-License-Identifier: MIT
// Small Gaussians are sampled. Larger ones are recursive: the sum of two damped oscillations that R. Deriche fitted to
// the Gaussian ("Recursively implementing the Gaussian and its derivatives", INRIA report 1893, 1993), run in both
// directions. The time does not go with sigma.
#include "Blur.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// From this sigma on the kernel is recursive.
static const double recursive_from = 2;

static void make_sampled(wi_blur_kernel *kernel, double sigma) {
    size_t reach = (size_t)ceil(4 * sigma);
    kernel->reach = reach < 1 ? 1 : reach > WI_BLUR_MOST_TAPS ? WI_BLUR_MOST_TAPS : reach;
    double weights[WI_BLUR_MOST_TAPS + 1], sum = 0;
    for (size_t t = 0; t <= kernel->reach; t++) {
        weights[t] = exp(-0.5 * (double)(t * t) / (sigma * sigma));
        sum += t == 0 ? weights[t] : 2 * weights[t];
    }
    for (size_t t = 0; t <= kernel->reach; t++) {
        kernel->taps[t] = (float)(weights[t] / sum);
    }
}

static void make_recursive(wi_blur_kernel *kernel, double sigma) {
    const double complex weights[] = {1.680 - 3.735 * I, -0.6803 + 0.2598 * I};
    const double complex rates[] = {-1.783 + 0.6318 * I, -1.723 + 1.997 * I};
    double complex turns[WI_BLUR_TERMS], steady[WI_BLUR_TERMS];
    double centre = 0, sum = 0;
    for (int k = 0; k < WI_BLUR_TERMS; k++) {
        // As the loops have it: only so are the sums exact where one minus a turn is small.
        double complex turn = cexp(rates[k] / sigma);
        turns[k] = (float)creal(turn) + (float)cimag(turn) * I;
        steady[k] = weights[k] / (1 - turns[k]);
        centre += creal(weights[k]);
        sum += 2 * creal(steady[k]);
    }
    sum -= centre;
    kernel->half_centre = (float)(centre / 2 / sum);
    for (int k = 0; k < WI_BLUR_TERMS; k++) {
        kernel->terms[k] = (wi_blur_term){
            .turn_real = (float)creal(turns[k]),
            .turn_imaginary = (float)cimag(turns[k]),
            .weight_real = (float)(creal(weights[k]) / sum),
            .weight_imaginary = (float)(cimag(weights[k]) / sum),
            .steady_real = (float)(creal(steady[k]) / sum),
            .steady_imaginary = (float)(cimag(steady[k]) / sum),
        };
    }
}

static size_t border(const wi_blur_pass *pass) { return pass->sigma < recursive_from ? WI_BLUR_MOST_TAPS : 0; }

/// Floats of a plane, and of its borders.
static size_t plane_floats(const wi_blur_pass *pass) {
    return (pass->length + 2 * border(pass)) * WI_BLUR_LANES;
}

size_t wi_blur_bytes(const wi_blur_pass *pass) {
    return 2 * WI_BLUR_PLANES * plane_floats(pass) * sizeof(float);
}

/// Repeats the first and the last pixel around the line.
static void extend(float *lanes, size_t length, size_t reach) {
    const float *last = lanes + (length - 1) * WI_BLUR_LANES;
    for (size_t i = 1; i <= reach; i++) {
        memcpy(lanes - i * WI_BLUR_LANES, lanes, WI_BLUR_LANES * sizeof(float));
        memcpy(lanes + (length - 1 + i) * WI_BLUR_LANES, last, WI_BLUR_LANES * sizeof(float));
    }
}

bool wi_blur_lines(const wi_blur_pass *pass, size_t from, size_t to) {
    const wi_blur_loops *loops = &wi_blur_loops_baseline;
#if defined(__x86_64__)
    if (!pass->scalar && wi_has_avx2()) {
        loops = &wi_blur_loops_avx2;
    }
#endif
    float *memory = malloc(wi_blur_bytes(pass));
    if (!memory) {
        return false;
    }
    wi_blur_kernel kernel = {0};
    bool is_sampled = pass->sigma < recursive_from;
    if (is_sampled) {
        make_sampled(&kernel, pass->sigma);
    } else {
        make_recursive(&kernel, pass->sigma);
    }
    float *sources[WI_BLUR_PLANES], *targets[WI_BLUR_PLANES];
    for (size_t p = 0; p < WI_BLUR_PLANES; p++) {
        sources[p] = memory + 2 * p * plane_floats(pass) + border(pass) * WI_BLUR_LANES;
        targets[p] = sources[p] + plane_floats(pass);
    }
    for (size_t line = from; line < to; line += WI_BLUR_LINES) {
        loops->load(pass, line, sources);
        for (size_t p = 0; p < WI_BLUR_PLANES; p++) {
            if (is_sampled) {
                extend(sources[p], pass->length, kernel.reach);
                loops->sample(&kernel, sources[p], pass->length, targets[p]);
            } else {
                loops->recurse(&kernel, sources[p], pass->length, targets[p]);
            }
        }
        loops->store(pass, line, targets);
    }
    free(memory);
    return true;
}
