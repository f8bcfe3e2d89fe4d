// SPDX-License-Identifier: MIT
// Little CMS, as far as pictures of red, green, blue and alpha need it.
#ifndef WI_COLOR_SHIM_H
#define WI_COLOR_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A way from one profile to sRGB. Threads may share it.
typedef struct wi_color wi_color;

typedef enum wi_color_result {
    WI_COLOR_DONE,
    /// The bytes are no profile, or one that no pixels can be converted with.
    WI_COLOR_UNREADABLE,
    /// The profile is for other colours than red, green and blue.
    WI_COLOR_OTHER_SPACE,
} wi_color_result;

/// Makes a way for pixels of `bits` per channel, blue first where `swaps`. Perceptual intent, as a browser or Pillow has it.
wi_color_result wi_color_create(const uint8_t *profile, size_t bytes, int bits, bool swaps, wi_color **color);
void wi_color_free(wi_color *color);

/// Converts pixels of straight alpha; alpha is copied.
void wi_color_run(const wi_color *color, const uint8_t *source, uint8_t *target, size_t pixels);

#endif
