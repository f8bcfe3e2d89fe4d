// SPDX-License-Identifier: MIT
// GIF's LZW (GIF89a, appendix F), what turns its colour indices into pixels, and pixels into indices. No
// library is behind it.
#ifndef WI_GIF_SHIM_H
#define WI_GIF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How far a frame's picture data have been expanded.
typedef enum wi_gif_state {
    /// More pixels may come.
    WI_GIF_MORE = 0,
    /// Every pixel of the frame has come.
    WI_GIF_DONE,
    /// The data say that they end, before the last pixel.
    WI_GIF_SHORT,
    /// The file ends before the last pixel.
    WI_GIF_CUT,
    /// A code that cannot be, or a code size that GIF does not have.
    WI_GIF_DAMAGED,
} wi_gif_state;

/// Expands the picture data of one frame after the other.
typedef struct wi_gif_lzw wi_gif_lzw;

/// NULL when there is no memory. Freed by `wi_gif_lzw_free`.
wi_gif_lzw *wi_gif_lzw_create(void);
void wi_gif_lzw_free(wi_gif_lzw *lzw);

/// Bytes that a decoder holds for frames of `pixels` pixels.
size_t wi_gif_lzw_size(uint64_t pixels);

/// Begins a frame of `width` × `height` pixels, whose code size stands at `data[offset]`. The data must stay
/// where they are until the next frame begins. False when there is no memory.
/// A `growing` file may end within the frame, of which whole rows are handed out until it is extended.
bool wi_gif_lzw_begin(wi_gif_lzw *lzw, const uint8_t *data, size_t size, size_t offset, uint32_t width,
                      uint32_t height, bool growing);

/// More of the file has come, all of which lies at `data` now: what was cut goes on where it ended.
void wi_gif_lzw_extend(wi_gif_lzw *lzw, const uint8_t *data, size_t size);

/// Expands the next `rows` rows at least, where there are so many. `*indices` are the pixels that have not
/// been handed out before, in the order of the file, valid until the next call; `*count` of them: whole rows,
/// but for the last ones of an incomplete frame. With another state than `WI_GIF_MORE` nothing comes after.
wi_gif_state wi_gif_lzw_next(wi_gif_lzw *lzw, size_t rows, const uint8_t **indices, size_t *count);

/// Colours as four bytes in the order of the pixels; those that are not seen are 0.
typedef struct wi_gif_palette {
    uint32_t colors[256];
} wi_gif_palette;

/// `count` entries of a colour table, three bytes each; indices beyond it, and `transparent` (-1: none), are
/// not seen. `swaps` exchanges red and blue.
void wi_gif_make_palette(wi_gif_palette *palette, const uint8_t *table, size_t count, int transparent,
                         bool swaps);

/// Writes the colours of `count` pixels; with `keeps`, those that are not seen leave what was there.
void wi_gif_paint(const wi_gif_palette *palette, const uint8_t *indices, size_t count, uint8_t *target,
                  bool keeps);

/// A frame on its canvas, of which it may hang out to the right and below.
typedef struct wi_gif_frame {
    uint32_t left, top, width, height;
    bool interlaced;
    uint8_t *canvas;
    size_t stride;
    uint32_t canvas_width, canvas_height;
} wi_gif_frame;

/// Paints `count` pixels that come in the order of the file, `first` of them being before: a multiple of the
/// width.
void wi_gif_paint_rows(const wi_gif_frame *frame, const wi_gif_palette *palette, uint64_t first,
                       const uint8_t *indices, size_t count, bool keeps);
/// Copies each whole row of `count` pixels of an interlaced frame over those below it that come in later passes.
void wi_gif_spread_rows(const wi_gif_frame *frame, uint64_t first, size_t count);
/// Makes all pixels transparent that come behind the first `first` in the order of the file.
void wi_gif_erase_rows(const wi_gif_frame *frame, uint64_t first);

#include "GIFEncode.h"

#endif
