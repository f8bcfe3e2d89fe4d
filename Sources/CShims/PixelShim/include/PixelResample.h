// SPDX-License-Identifier: MIT
// Separable resampling: one path in 16-bit fixed point for 8-bit pixels whose channels may be averaged as
// they are (opaque or premultiplied), one in floating point, row by row, for everything else.
#ifndef WI_PIXEL_RESAMPLE_H
#define WI_PIXEL_RESAMPLE_H

#include "RuntimeShim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wi_filter {
    WI_FILTER_NEAREST,
    WI_FILTER_BOX,
    WI_FILTER_BILINEAR,
    WI_FILTER_CATMULL_ROM,
    WI_FILTER_MITCHELL,
    WI_FILTER_LANCZOS3,
} wi_filter;

typedef enum wi_resample_result {
    WI_RESAMPLE_DONE,
    WI_RESAMPLE_CANCELLED,
    WI_RESAMPLE_NO_MEMORY,
    /// The weights are too many or too small for 14 bits: the floating-point path is to be used.
    WI_RESAMPLE_UNFIT,
} wi_resample_result;

/// One direction: `size` pixels are made of the `length` source pixels from `start` on; the source has
/// `source` pixels.
///
/// The region may begin and end between pixels, but lies inside the source. Pixels around it take part where
/// the kernel reaches them.
typedef struct wi_direction {
    size_t source;
    double start;
    double length;
    size_t size;
} wi_direction;

/// A whole picture to be resampled; rows start `…_stride` bytes apart. No size is 0 or beyond INT32_MAX.
typedef struct wi_resample_job {
    wi_filter filter;
    wi_direction across;
    wi_direction down;
    const uint8_t *source;
    size_t source_stride;
    uint8_t *target;
    size_t target_stride;
    /// Polled every few rows; may be NULL.
    const wi_flag *flag;
    /// Keeps to the code that needs no vector unit; the result is the same.
    bool scalar;
} wi_resample_job;

/// Takes the pixel under each centre, of 4 or 8 bytes. Allocates a table of the width.
wi_resample_result wi_resample_nearest(const wi_resample_job *job, size_t pixel_bytes);

/// Four 8-bit channels, in fixed point: weights of 14 bits, 16 bits between the passes, rounded once at the
/// end. The first three channels never exceed the fourth. The plan holds the weights; threads may share it.
typedef struct wi_fixed_plan wi_fixed_plan;

enum {
    /// Rows are made by so many at a time: ranges begin at multiples of it.
    WI_FIXED_STEP = 8,
};

wi_resample_result wi_fixed_create(const wi_resample_job *job, wi_fixed_plan **plan);
void wi_fixed_free(wi_fixed_plan *plan);

/// Makes the target rows `from..<to`. Allocates a band of rows.
wi_resample_result wi_fixed_run(const wi_fixed_plan *plan, size_t from, size_t to);

/// What a row resampler is made for.
typedef struct wi_rows_setup {
    wi_filter filter;
    wi_direction across;
    wi_direction down;
    /// 8 or 16 per channel.
    int bits;
    /// Whether colours are to be multiplied by alpha first and divided at the end.
    bool straight;
    bool scalar;
} wi_rows_setup;

/// A resampler that is given source rows from top to bottom and makes target rows as soon as they can be
/// made; it holds a band of rows only. The pixels are those of the setup.
typedef struct wi_rows wi_rows;

/// Bytes that a resampler of this setup holds, beside the target; SIZE_MAX where they cannot be counted.
///
/// They go with the target's size, whatever the source's: of rows and columns that are far longer, means of blocks
/// are held.
size_t wi_rows_bytes(const wi_rows_setup *setup);

/// NULL when there is no memory.
wi_rows *wi_rows_create(const wi_rows_setup *setup);
void wi_rows_free(wi_rows *rows);

/// Takes `count` further source rows and writes the target rows that they complete into the whole target at
/// `target`.
///
/// Rows beyond the source's height are ignored. Returns how many target rows are complete since the
/// beginning.
size_t wi_rows_push(
    wi_rows *rows, const uint8_t *source, size_t source_stride, size_t count, uint8_t *target,
    size_t target_stride);

#endif
