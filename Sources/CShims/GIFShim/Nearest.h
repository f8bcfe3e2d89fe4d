// SPDX-License-Identifier: MIT
#ifndef WI_GIF_NEAREST_H
#define WI_GIF_NEAREST_H

#include "GIFShim.h"

/// Colours among which the nearest is looked for, by channel; those beyond the last lie farther than any.
typedef struct nearest_colors {
    int channels[3][256];
    size_t used;
} nearest_colors;

void wi_gif_set_colors(nearest_colors *colors, const uint32_t *palette, size_t used);
/// The index of the colour that is nearest to `color`, by the sum of squares; of several the first.
unsigned wi_gif_nearest(const nearest_colors *colors, const int color[3]);

#endif
