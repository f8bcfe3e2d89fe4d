// SPDX-License-Identifier: MIT
#include "WebPShim.h"

#include <string.h>

enum { WI_OPAQUE = 255 };

static uint8_t mix(uint32_t above, uint32_t above_weight, uint32_t below, uint32_t below_weight, uint32_t scale) {
    return (uint8_t)(((above * above_weight + below * below_weight) * scale) >> 24);
}

// The rounding is that of libwebp's own player, so that every frame is the one that browsers show.
static void blend_pixel(const uint8_t *above, uint8_t *below) {
    const uint32_t alpha = above[3];
    const uint32_t rest = below[3] * (256 - alpha) >> 8;
    const uint32_t scale = (1u << 24) / (alpha + rest);
    for (int channel = 0; channel < 3; channel++) {
        below[channel] = mix(above[channel], alpha, below[channel], rest, scale);
    }
    below[3] = (uint8_t)(alpha + rest);
}

void wi_webp_blend_row(const uint8_t *above, uint8_t *below, size_t width) {
    for (size_t x = 0; x < width; x++, above += 4, below += 4) {
        if (above[3] == WI_OPAQUE) {
            memcpy(below, above, 4);
        } else if (above[3] != 0) {
            blend_pixel(above, below);
        }
    }
}
