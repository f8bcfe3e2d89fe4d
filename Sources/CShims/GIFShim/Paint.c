// SPDX-License-Identifier: MIT
#include "GIFShim.h"

#include <string.h>

void wi_gif_make_palette(wi_gif_palette *palette, const uint8_t *table, size_t count, int transparent,
                         bool swaps) {
    memset(palette, 0, sizeof *palette);
    for (size_t i = 0; i < count && i < 256; i++) {
        if ((int)i == transparent) continue;
        const uint8_t *entry = table + 3 * i;
        const uint8_t pixel[4] = {entry[swaps ? 2 : 0], entry[1], entry[swaps ? 0 : 2], 255};
        memcpy(&palette->colors[i], pixel, 4);
    }
}

void wi_gif_paint(const wi_gif_palette *palette, const uint8_t *indices, size_t count, uint8_t *target,
                  bool keeps) {
    uint32_t *pixels = (uint32_t *)(void *)target;
    if (!keeps) {
        for (size_t x = 0; x < count; x++) pixels[x] = palette->colors[indices[x]];
        return;
    }
    for (size_t x = 0; x < count; x++) {
        const uint32_t color = palette->colors[indices[x]];
        pixels[x] = color ? color : pixels[x];
    }
}

/// Where the `index`th row of the file lies in the frame (GIF89a, appendix E); `*below` is how many rows under it come
/// in later passes.
static uint32_t row_at(const wi_gif_frame *frame, uint32_t index, uint32_t *below) {
    static const uint32_t first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2}, later[] = {7, 3, 1, 0};
    *below = 0;
    if (!frame->interlaced) return index;
    for (int pass = 0; pass < 4; pass++) {
        const uint32_t rows = (frame->height + step[pass] - 1 - first[pass]) / step[pass];
        *below = later[pass];
        if (index < rows) return first[pass] + index * step[pass];
        index -= rows;
    }
    return frame->height;
}

/// A row of the frame on the canvas, from the frame's left edge on; NULL outside.
static uint8_t *canvas_row(const wi_gif_frame *frame, uint32_t row) {
    const uint64_t y = (uint64_t)frame->top + row;
    if (row >= frame->height) return NULL;
    if (y >= frame->canvas_height || frame->left >= frame->canvas_width) return NULL;
    return frame->canvas + frame->stride * (size_t)y + 4 * (size_t)frame->left;
}

/// The row that the `index`th of the file is on the canvas; NULL outside.
static uint8_t *target_row(const wi_gif_frame *frame, uint32_t index) {
    uint32_t below;
    return canvas_row(frame, row_at(frame, index, &below));
}

static size_t visible_width(const wi_gif_frame *frame) {
    const uint32_t room = frame->canvas_width > frame->left ? frame->canvas_width - frame->left : 0;
    return frame->width < room ? frame->width : room;
}

void wi_gif_paint_rows(const wi_gif_frame *frame, const wi_gif_palette *palette, uint64_t first,
                       const uint8_t *indices, size_t count, bool keeps) {
    const size_t seen = visible_width(frame);
    uint32_t index = (uint32_t)(first / frame->width);
    for (size_t done = 0; done < count; done += frame->width, index++) {
        uint8_t *target = target_row(frame, index);
        const size_t there = count - done < seen ? count - done : seen;
        if (target) wi_gif_paint(palette, indices + done, there, target, keeps);
    }
}

void wi_gif_spread_rows(const wi_gif_frame *frame, uint64_t first, size_t count) {
    const size_t bytes = 4 * visible_width(frame);
    const uint32_t from = (uint32_t)(first / frame->width), rows = (uint32_t)(count / frame->width);
    for (uint32_t index = from; index < from + rows; index++) {
        uint32_t below;
        const uint32_t row = row_at(frame, index, &below);
        const uint8_t *const source = canvas_row(frame, row);
        for (uint32_t step = 1; source && step <= below; step++) {
            uint8_t *const target = canvas_row(frame, row + step);
            if (target) memcpy(target, source, bytes);
        }
    }
}

void wi_gif_erase_rows(const wi_gif_frame *frame, uint64_t first) {
    const size_t seen = visible_width(frame);
    size_t from = (size_t)(first % frame->width);
    for (uint32_t index = (uint32_t)(first / frame->width); index < frame->height; index++) {
        uint8_t *target = target_row(frame, index);
        if (target && from < seen) memset(target + 4 * from, 0, 4 * (seen - from));
        from = 0;
    }
}
