// SPDX-License-Identifier: MIT
// Rows of kinds other than 8-bit RGB and RGBA: unfiltered in place, then spread to RGBA through a table or
// sample by sample. The rules are libpng's `png_set_expand`, `png_set_strip_16`, `png_set_gray_to_rgb` and
// `png_set_add_alpha`.
#ifndef WI_PNG_EXPAND_H
#define WI_PNG_EXPAND_H

#include "Common.h"

/// Undoes the filter of a row of `size` bytes in place. `above` is the row above, unfiltered, or zeros.
void wi_png_unfilter_bytes(int filter, uint8_t *row, const uint8_t *above, size_t size,
                           size_t bytes_per_pixel);

/// Pixels of kinds with up to 256 values, as they lie in memory.
typedef struct wi_png_table {
    uint32_t pixels[256];
} wi_png_table;

/// The table of a palette or of grey samples of up to 8 bits. False when the palette or its transparency is
/// unusual.
bool wi_png_make_table(const wi_png_decode_job *job, wi_png_table *table);

/// Spreads an unfiltered row.
void wi_png_expand_row(const wi_png_decode_job *job, const wi_png_table *table, const uint8_t *row,
                       uint8_t *target);

#endif
