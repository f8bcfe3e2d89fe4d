// SPDX-License-Identifier: MIT
#include "Nearest.h"

#include <string.h>

enum {
    /// Colours that are compared at a time.
    GROUP = 16,
    /// A channel so far away that its square still fits beside the index.
    FAR = 2000,
};

void wi_gif_set_colors(nearest_colors *colors, const uint32_t *palette, size_t used) {
    colors->used = used;
    for (size_t i = 0; i < 256; i++) {
        uint8_t pixel[4] = {0};
        if (i < used) memcpy(pixel, &palette[i], 4);
        for (int c = 0; c < 3; c++) colors->channels[c][i] = i < used ? pixel[c] : FAR;
    }
}

/// Distance and index are one number, so that the least of them is found without a branch.
static inline unsigned search(const nearest_colors *colors, const int color[3]) {
    unsigned best[GROUP];
    memset(best, 0xFF, sizeof best);
    for (size_t i = 0; i < colors->used; i += GROUP)
        for (size_t k = 0; k < GROUP; k++) {
            const int r = colors->channels[0][i + k] - color[0], g = colors->channels[1][i + k] - color[1],
                      b = colors->channels[2][i + k] - color[2];
            const unsigned key = (unsigned)(r * r + g * g + b * b) << 8 | (unsigned)(i + k);
            best[k] = key < best[k] ? key : best[k];
        }
    unsigned least = best[0];
    for (size_t k = 1; k < GROUP; k++) least = best[k] < least ? best[k] : least;
    return least & 255;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static unsigned search_avx2(const nearest_colors *colors,
                                                            const int color[3]) {
    return search(colors, color);
}

unsigned wi_gif_nearest(const nearest_colors *colors, const int color[3]) {
    return __builtin_cpu_supports("avx2") ? search_avx2(colors, color) : search(colors, color);
}
#else
unsigned wi_gif_nearest(const nearest_colors *colors, const int color[3]) { return search(colors, color); }
#endif
