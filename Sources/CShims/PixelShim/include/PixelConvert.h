// SPDX-License-Identifier: MIT
#ifndef WI_PIXEL_CONVERT_H
#define WI_PIXEL_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Copies pixels one by one: the pixel (x, y) of the target is the one at `source + x * across + y * down`.
///
/// `across` and `down` are in bytes and may be negative. `pixel_bytes` is 4 or 8; target rows follow each
/// other without a gap.
void wi_pixels_turn(
    const uint8_t *source, ptrdiff_t across, ptrdiff_t down, uint8_t *target, size_t width, size_t height,
    size_t pixel_bytes);

/// How the samples of one pixel become those of another.
typedef enum wi_samples {
    WI_SAMPLES_KEEP,
    /// 8 bits: the first and the third channel change places.
    WI_SAMPLES_SWAP,
    /// 16 bits to 8: the low byte is dropped.
    WI_SAMPLES_NARROW,
    WI_SAMPLES_NARROW_SWAP,
    /// 8 bits to 16: times 257.
    WI_SAMPLES_WIDEN,
    WI_SAMPLES_WIDEN_SWAP,
} wi_samples;

/// What is done about alpha, on the samples of the target.
typedef enum wi_alpha {
    WI_ALPHA_KEEP,
    WI_ALPHA_MULTIPLY,
    WI_ALPHA_DIVIDE,
    /// Alpha is set to its maximum.
    WI_ALPHA_FILL,
} wi_alpha;

/// Converts `height` rows of `width` pixels; the target has `target_bits` per channel. Rows start `…_stride`
/// bytes apart and at addresses that suit their samples.
void wi_pixels_convert(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
    size_t height, wi_samples samples, wi_alpha alpha, int target_bits);

typedef struct wi_pixels_area {
    size_t x, y, width, height;
} wi_pixels_area;

/// The smallest rectangle that holds all pixels of 32 bits that differ; empty where none does.
wi_pixels_area wi_pixels_difference(const uint8_t *one, const uint8_t *other, size_t stride, size_t width,
                                    size_t height);

/// Whether every alpha sample is at its maximum.
bool wi_pixels_are_opaque(const uint8_t *source, size_t stride, size_t width, size_t height, int bits);

#endif
