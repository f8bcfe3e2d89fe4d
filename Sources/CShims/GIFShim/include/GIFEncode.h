// SPDX-License-Identifier: MIT
// Pixels here are four bytes, RGBA, as one number in memory order: 0, or a colour whose alpha is 255.
#ifndef WI_GIF_ENCODE_H
#define WI_GIF_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Makes pixels of alpha below `threshold` 0, and all others opaque.
void wi_gif_threshold(uint32_t *pixels, size_t count, uint8_t threshold);

/// A rectangle on a canvas; empty where its width is 0.
typedef struct wi_gif_rectangle {
    size_t x, y, width, height;
} wi_gif_rectangle;

/// Where `next` has to be painted over `shown`, and where `shown` has to become transparent first.
void wi_gif_compare(const uint32_t *shown, const uint32_t *next, size_t width, size_t height,
                    wi_gif_rectangle *painted, wi_gif_rectangle *cleared);
/// What is to be painted of `next` in `area`, row by row: 0 where `shown` has it already; all of it where `shown`
/// is NULL. Canvases are `width` wide.
void wi_gif_cut_out(const uint32_t *shown, const uint32_t *next, size_t width, wi_gif_rectangle area,
                    uint32_t *target);

/// Whether a pixel is 0.
bool wi_gif_has_holes(const uint32_t *pixels, size_t count);

/// The colours of `pixels` in the order in which they come, without 0; false when there are more than `most`,
/// at most 256.
bool wi_gif_exact_palette(const uint32_t *pixels, size_t count, size_t most, uint32_t palette[256],
                          size_t *used);
/// Whether all colours of `pixels` are in `palette`.
bool wi_gif_is_in_palette(const uint32_t *pixels, size_t count, const uint32_t palette[256], size_t used);

/// The `most` (1 to 256) colours that show `pixels` best. False when there is no memory.
bool wi_gif_quantize(const uint32_t *pixels, size_t count, size_t most, uint32_t palette[256], size_t *used);

/// The nearest colour of the palette for each pixel, `transparent` for 0. With `dithers`, what a pixel loses is
/// spread over those to its right and below. False when there is no memory.
bool wi_gif_map(const uint32_t *pixels, size_t width, size_t height, const uint32_t palette[256], size_t used,
                uint8_t transparent, bool dithers, uint8_t *indices);

/// The picture data of a frame in sub-blocks, from the code size to the terminator. `*bytes` is to be freed by
/// `free`. False when there is no memory.
bool wi_gif_compress(const uint8_t *indices, size_t count, int code_size, uint8_t **bytes, size_t *size);

#endif
