// SPDX-License-Identifier: MIT
#ifndef WI_PNG_COMMON_H
#define WI_PNG_COMMON_H

#include "PNGShim.h"

enum { WI_PNG_GRAY = 0, WI_PNG_RGB = 2, WI_PNG_PALETTE = 3, WI_PNG_GRAY_ALPHA = 4, WI_PNG_RGB_ALPHA = 6 };

/// Samples of a pixel.
static inline size_t wi_png_channels(int color_type) {
    switch (color_type) {
    case WI_PNG_RGB: return 3;
    case WI_PNG_GRAY_ALPHA: return 2;
    case WI_PNG_RGB_ALPHA: return 4;
    default: return 1;
    }
}

/// Bytes of a row without its filter byte. A width of 31 bits times 64 bits a pixel fits.
static inline uint64_t wi_png_row_bytes(uint32_t width, int depth, int color_type) {
    return ((uint64_t)width * (uint64_t)depth * wi_png_channels(color_type) + 7) / 8;
}

static inline uint32_t wi_png_big32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline bool wi_png_is_cancelled(const wi_flag *flag) { return flag && wi_flag_is_raised(flag); }

/// Where row `y` goes.
static inline uint8_t *wi_png_row(const wi_png_decode_job *job, uint32_t y) {
    return job->pixels + job->stride * (job->take_rows ? y % job->band : y);
}

/// Hands a band out when `done` rows fill it, or are the last ones.
static inline void wi_png_hand_out(const wi_png_decode_job *job, uint32_t done, bool is_end) {
    if (!job->take_rows || done == 0) return;
    const uint32_t rest = done % job->band;
    if (rest == 0) job->take_rows(job->context, job->pixels, job->band);
    if (rest != 0 && is_end) job->take_rows(job->context, job->pixels, rest);
}

/// A row of indices into the job's palette, of the job's depth; each `step`-th pixel.
void wi_png_pack_indices(const wi_png_encode_job *job, const uint8_t *from, uint8_t *to, size_t count,
                         size_t step);

/// The predictor of filter type 4 (PNG, section 9.4).
static inline uint8_t wi_png_paeth(int a, int b, int c) {
    int pa = b - c, pb = a - c, pc = pa + pb;
    pa = pa < 0 ? -pa : pa;
    pb = pb < 0 ? -pb : pb;
    pc = pc < 0 ? -pc : pc;
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

#endif
