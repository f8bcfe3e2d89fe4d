// SPDX-License-Identifier: MIT
// Loops over pixels that want vector code. All sizes are checked by the caller; nothing here allocates or fails.
#ifndef WI_PIXEL_SHIM_H
#define WI_PIXEL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Turns `width` x `height` pixels of 4 or 8 bytes as EXIF orientation 2 to 8 says. `target` has the turned size.
void wi_orient(const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
               size_t height, size_t bytes_per_pixel, int orientation);

/// Multiplies colour by alpha, rounding to nearest. Alpha is the fourth channel. May work in place.
void wi_premultiply8(const uint8_t *source, uint8_t *target, size_t pixels);
/// Divides colour by alpha, rounding to nearest and stopping at 255; colour behind alpha 0 becomes 0.
void wi_unpremultiply8(const uint8_t *source, uint8_t *target, size_t pixels);
/// The same for 16-bit channels.
void wi_premultiply16(const uint16_t *source, uint16_t *target, size_t pixels);
void wi_unpremultiply16(const uint16_t *source, uint16_t *target, size_t pixels);
/// Exchanges the first and third channel of 8-bit pixels. May work in place.
void wi_swap_red_blue8(const uint8_t *source, uint8_t *target, size_t pixels);
/// Keeps the high byte of each 16-bit channel; `swaps` exchanges red and blue.
void wi_narrow16(const uint16_t *source, uint8_t *target, size_t pixels, bool swaps);
/// Widens 8-bit channels by 257; `swaps` exchanges red and blue.
void wi_widen8(const uint8_t *source, uint16_t *target, size_t pixels, bool swaps);
/// Whether every pixel has full alpha.
bool wi_is_opaque8(const uint8_t *source, size_t pixels);
bool wi_is_opaque16(const uint16_t *source, size_t pixels);
/// Sets alpha to full. In place.
void wi_fill_alpha8(uint8_t *target, size_t pixels);
void wi_fill_alpha16(uint16_t *target, size_t pixels);

/// One axis of a resampling in 16-bit fixed point: output i is the sum of weights[i * taps + t] * input[starts[i] + t],
/// and each output's weights sum to 1 << 14. `taps` is a multiple of 4 unless the input is shorter.
typedef struct wi_axis {
    const int32_t *starts;
    const int16_t *weights;
    int32_t taps;
} wi_axis;

/// `count` rows of the vertical pass, `bytes` wide: row y of `target` from the rows that output y names.
void wi_resample_vertical(const uint8_t *source, size_t source_stride, wi_axis axis, size_t first, size_t count,
                          uint8_t *target, size_t target_stride, size_t bytes);
/// The horizontal pass of `rows` rows: `width` output pixels of each.
void wi_resample_horizontal(const uint8_t *source, size_t source_stride, wi_axis axis, size_t width, size_t rows,
                            uint8_t *target, size_t target_stride);

/// One axis in floating point, for 16-bit pixels and for ratios that fixed point is too coarse for.
typedef struct wi_wide_axis {
    const int32_t *starts;
    const float *weights;
    int32_t taps;
} wi_wide_axis;

/// One output row: the vertical pass of all `source_width` pixels into `scratch` (4 floats a pixel), then the horizontal
/// one. `source` is 8 or 16 bits a channel; `premultiplies` works on colour times alpha and divides again.
void wi_resample_wide_row(const void *source, size_t source_stride, size_t source_width, int bits, bool premultiplies,
                          wi_wide_axis vertical, size_t row, wi_wide_axis horizontal, size_t target_width,
                          float *scratch, void *target);

/// Whether the vector kernels are used; tests switch them off to compare.
bool wi_vector_kernels(void);
void wi_set_vector_kernels(bool allowed);

#endif
