// SPDX-License-Identifier: MIT
#include "Rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// Where a target pixel covers more than twice as many source pixels, means of blocks are taken first:
    /// the band
    /// of rows and the weights would grow with the ratio, and at this distance nobody sees the difference.
    WI_MOST_RATIO = 32,
};

struct wi_rows {
    wi_rows_setup setup;
    const wi_row_loops *loops;
    /// Source pixels and rows that become one before anything else.
    size_t factor_across, factor_down;
    wi_weights across, down;
    /// Floats of a shrunken source row with its slack, and of a target row.
    size_t narrow_floats, target_floats;
    /// A source row before it is shrunken, and after it while it waits to be added; the group of rows that
    /// waits; the row that is put together for the target.
    float *source_row, *spare_row, *group, *target_row;
    size_t waiting, summed;
    /// Narrowed rows, found by their number modulo `capacity`, and room for the list of those that one output
    /// needs.
    float *ring;
    const float **list;
    size_t capacity;
    size_t taken, narrowed, made;
};

static size_t factor_for(wi_direction direction) {
    double ratio = direction.length / (double)direction.size;
    return ratio >= 2 * WI_MOST_RATIO ? (size_t)(ratio / WI_MOST_RATIO) : 1;
}

static wi_direction shrunken(wi_direction direction, size_t factor) {
    wi_direction result = direction;
    result.source = (direction.source + factor - 1) / factor;
    result.start = direction.start / (double)factor;
    result.length = direction.length / (double)factor;
    return result;
}

static bool allocate(wi_rows *rows) {
    size_t bytes, width = rows->setup.across.source,
                  narrow = shrunken(rows->setup.across, rows->factor_across).source;
    if (__builtin_mul_overflow(width + narrow + rows->setup.across.size + 2, 16 * rows->capacity, &bytes)) {
        return false;
    }
    // Windows are read in twos: one pixel of zeros lies behind each row, at weight 0.
    rows->narrow_floats = 4 * (narrow + 1);
    rows->target_floats = 4 * rows->setup.across.size;
    rows->source_row = calloc(4 * width + 4, sizeof(float));
    rows->spare_row = calloc(rows->narrow_floats, sizeof(float));
    rows->group = calloc(WI_ROWS_GROUP * rows->narrow_floats, sizeof(float));
    rows->target_row = calloc(rows->target_floats, sizeof(float));
    rows->ring = calloc(rows->capacity * rows->target_floats, sizeof(float));
    rows->list = calloc(rows->down.taps, sizeof(float *));
    return rows->source_row && rows->spare_row && rows->group && rows->target_row && rows->ring && rows->list;
}

wi_rows *wi_rows_create(const wi_rows_setup *setup) {
    wi_rows *rows = calloc(1, sizeof(wi_rows));
    if (!rows) {
        return NULL;
    }
    rows->setup = *setup;
    rows->loops = &wi_row_loops_baseline;
#if defined(__x86_64__)
    if (!setup->scalar && wi_has_avx2()) {
        rows->loops = &wi_row_loops_avx2;
    }
#endif
    bool shrinks = setup->filter != WI_FILTER_NEAREST;
    rows->factor_across = shrinks ? factor_for(setup->across) : 1;
    rows->factor_down = shrinks ? factor_for(setup->down) : 1;
    wi_direction across = shrunken(setup->across, rows->factor_across);
    wi_direction down = shrunken(setup->down, rows->factor_down);
    bool done = wi_weights_make(&rows->across, setup->filter, across, 1, 2, false) == WI_RESAMPLE_DONE
        && wi_weights_make(&rows->down, setup->filter, down, 1, 1, false) == WI_RESAMPLE_DONE;
    // A group is narrowed whole, before the rows that it completes are made; it never passes the end of the
    // ring.
    rows->capacity = (rows->down.taps + 2 * WI_ROWS_GROUP - 1) / WI_ROWS_GROUP * WI_ROWS_GROUP;
    if (!done || !allocate(rows)) {
        wi_rows_free(rows);
        return NULL;
    }
    return rows;
}

void wi_rows_free(wi_rows *rows) {
    if (!rows) {
        return;
    }
    wi_weights_free(&rows->across);
    wi_weights_free(&rows->down);
    free(rows->source_row);
    free(rows->spare_row);
    free(rows->group);
    free(rows->target_row);
    free(rows->ring);
    free(rows->list);
    free(rows);
}

/// Writes the target rows whose source rows are all there.
static void make_rows(wi_rows *rows, uint8_t *target, size_t target_stride) {
    while (rows->made < rows->down.size) {
        wi_window window = rows->down.windows[rows->made];
        if ((size_t)window.start + (size_t)window.count > rows->narrowed) {
            return;
        }
        for (int32_t t = 0; t < window.count; t++) {
            rows->list[t] = rows->ring + ((size_t)(window.start + t) % rows->capacity) * rows->target_floats;
        }
        rows->loops->down(
            rows->list, rows->down.real + rows->made * rows->down.taps, (size_t)window.count,
            rows->target_row, rows->target_floats);
        rows->loops->store(
            rows->target_row, rows->setup.across.size, rows->setup.bits, rows->setup.straight,
            target + rows->made * target_stride);
        rows->made++;
    }
}

/// Narrows the rows that wait, and makes what they complete.
static void narrow_group(wi_rows *rows, uint8_t *target, size_t target_stride) {
    size_t first = rows->narrowed % rows->capacity;
    // The last group may be short: what lies in its other rows is narrowed too, and never used.
    rows->loops->across(
        &rows->across, rows->group, rows->narrow_floats, rows->ring + first * rows->target_floats,
        rows->target_floats);
    rows->narrowed += rows->waiting;
    rows->waiting = 0;
    make_rows(rows, target, target_stride);
}

/// Loads a source row into `target`, its pixels shrunken.
static void load_row(const wi_rows *rows, const uint8_t *source, float *target) {
    size_t width = rows->setup.across.source;
    bool shrinks = rows->factor_across > 1;
    rows->loops->load(
        source, width, rows->setup.bits, rows->setup.straight, shrinks ? rows->source_row : target);
    if (shrinks) {
        rows->loops->shrink(rows->source_row, width, rows->factor_across, target);
    }
}

/// Takes a source row as one of `factor_down` that become one.
static void take_row(wi_rows *rows, const uint8_t *source, uint8_t *target, size_t target_stride) {
    const wi_row_loops *loops = rows->loops;
    size_t floats = rows->narrow_floats - 4;
    float *slot = rows->group + rows->waiting * rows->narrow_floats;
    load_row(rows, source, rows->summed == 0 ? slot : rows->spare_row);
    if (rows->summed > 0) {
        loops->add(slot, rows->spare_row, floats);
    }
    rows->summed++;
    rows->taken++;
    bool is_last = rows->taken == rows->setup.down.source;
    if (rows->summed < rows->factor_down && !is_last) {
        return;
    }
    if (rows->factor_down > 1) {
        loops->scale(slot, floats, 1 / (float)rows->summed);
    }
    rows->summed = 0;
    rows->waiting++;
    if (rows->waiting == WI_ROWS_GROUP || is_last) {
        narrow_group(rows, target, target_stride);
    }
}

size_t wi_rows_push(
    wi_rows *rows, const uint8_t *source, size_t source_stride, size_t count, uint8_t *target,
    size_t target_stride) {
    for (size_t i = 0; i < count && rows->taken < rows->setup.down.source; i++) {
        take_row(rows, source + i * source_stride, target, target_stride);
    }
    return rows->made;
}
