// SPDX-License-Identifier: MIT
#include "Rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// Where a target pixel covers more than twice as many source pixels, means of blocks are taken first: the band
    /// of rows and the weights would grow with the ratio, and at this distance nobody sees the difference.
    WI_MOST_RATIO = 32,
    /// Rows that are longer than this are held narrower still, so that memory goes with the target.
    WI_LONG_ROW = 1 << 20,
    WI_MOST_RATIO_OF_LONG_ROWS = 4,
    /// Pixels in a block, in each direction: that many samples of 8 bits have an exact sum.
    WI_MOST_FACTOR = 1 << 15,
    /// Pixels that are loaded at a time to be shrunken, unless one block has more.
    WI_PIECE = 4096,
};

/// What the work takes, by the setup alone.
typedef struct measures {
    /// Source pixels and rows that become one before anything else.
    size_t factor_across, factor_down;
    wi_direction across, down;
    /// Floats of a piece of a source row, of a shrunken row with its slack, and of a target row.
    size_t piece_floats, narrow_floats, target_floats;
    /// Rows of the ring.
    size_t capacity;
    /// All that will be held.
    size_t bytes;
} measures;

struct wi_rows {
    wi_rows_setup setup;
    const wi_row_loops *loops;
    measures sizes;
    wi_weights across, down;
    /// A piece of a source row before it is shrunken, and a row after it while it waits to be added; the group of
    /// rows that waits; the row that is put together for the target.
    float *piece, *spare_row, *group, *target_row;
    size_t waiting, summed;
    /// Narrowed rows, found by their number modulo the capacity, and room for the list of those that one output
    /// needs.
    float *ring;
    const float **list;
    size_t taken, narrowed, made;
};

static size_t factor_for(wi_direction direction, size_t most_ratio) {
    double ratio = direction.length / (double)direction.size, most = (double)most_ratio;
    if (ratio < 2 * most) {
        return 1;
    }
    return ratio / most < WI_MOST_FACTOR ? (size_t)(ratio / most) : WI_MOST_FACTOR;
}

static wi_direction shrunken(wi_direction direction, size_t factor) {
    wi_direction result = direction;
    result.source = (direction.source + factor - 1) / factor;
    result.start = direction.start / (double)factor;
    result.length = direction.length / (double)factor;
    return result;
}

/// False where a number overflows.
static bool add_bytes(measures *sizes, size_t count, size_t size) {
    size_t bytes;
    return !__builtin_mul_overflow(count, size, &bytes)
        && !__builtin_add_overflow(sizes->bytes, bytes, &sizes->bytes);
}

static bool measure(const wi_rows_setup *setup, measures *sizes) {
    bool shrinks = setup->filter != WI_FILTER_NEAREST;
    size_t most_across =
        setup->across.source > WI_LONG_ROW ? WI_MOST_RATIO_OF_LONG_ROWS : WI_MOST_RATIO;
    *sizes = (measures){
        .factor_across = shrinks ? factor_for(setup->across, most_across) : 1,
        .factor_down = shrinks ? factor_for(setup->down, WI_MOST_RATIO) : 1,
    };
    sizes->across = shrunken(setup->across, sizes->factor_across);
    sizes->down = shrunken(setup->down, sizes->factor_down);
    size_t blocks = WI_PIECE / sizes->factor_across;
    sizes->piece_floats = sizes->factor_across > 1 ? 4 * sizes->factor_across * (blocks ? blocks : 1) : 0;
    // Windows are read in twos: one pixel of zeros lies behind each row, at weight 0.
    sizes->narrow_floats = 4 * (sizes->across.source + 1);
    sizes->target_floats = 4 * setup->across.size;
    // A group is narrowed whole, before the rows that it completes are made; it never passes the end of the ring.
    size_t taps = wi_weights_taps(setup->filter, sizes->down);
    sizes->capacity = (taps + 2 * WI_ROWS_GROUP - 1) / WI_ROWS_GROUP * WI_ROWS_GROUP;
    return add_bytes(sizes, sizes->piece_floats, sizeof(float))
        && add_bytes(sizes, sizes->narrow_floats, (WI_ROWS_GROUP + 1) * sizeof(float))
        && add_bytes(sizes, sizes->target_floats, (sizes->capacity + 1) * sizeof(float))
        && add_bytes(sizes, taps, sizeof(float *) + sizeof(double))
        && add_bytes(sizes, setup->across.size, wi_weights_bytes(setup->filter, sizes->across))
        && add_bytes(sizes, setup->down.size, wi_weights_bytes(setup->filter, sizes->down));
}

size_t wi_rows_bytes(const wi_rows_setup *setup) {
    measures sizes;
    return measure(setup, &sizes) ? sizes.bytes : SIZE_MAX;
}

static bool allocate(wi_rows *rows) {
    const measures *sizes = &rows->sizes;
    rows->piece = calloc(sizes->piece_floats + 4, sizeof(float));
    rows->spare_row = calloc(sizes->factor_down > 1 ? sizes->narrow_floats : 4, sizeof(float));
    rows->group = calloc(WI_ROWS_GROUP * sizes->narrow_floats, sizeof(float));
    rows->target_row = calloc(sizes->target_floats, sizeof(float));
    rows->ring = calloc(sizes->capacity * sizes->target_floats, sizeof(float));
    rows->list = calloc(rows->down.taps, sizeof(float *));
    return rows->piece && rows->spare_row && rows->group && rows->target_row && rows->ring && rows->list;
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
    bool done = measure(setup, &rows->sizes)
        && wi_weights_make(&rows->across, setup->filter, rows->sizes.across, 1, 2, false) == WI_RESAMPLE_DONE
        && wi_weights_make(&rows->down, setup->filter, rows->sizes.down, 1, 1, false) == WI_RESAMPLE_DONE;
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
    free(rows->piece);
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
            rows->list[t] = rows->ring + ((size_t)(window.start + t) % rows->sizes.capacity) * rows->sizes.target_floats;
        }
        rows->loops->down(
            rows->list, rows->down.real + rows->made * rows->down.taps, (size_t)window.count,
            rows->target_row, rows->sizes.target_floats);
        rows->loops->store(
            rows->target_row, rows->setup.across.size, rows->setup.bits, rows->setup.straight,
            target + rows->made * target_stride);
        rows->made++;
    }
}

/// Narrows the rows that wait, and makes what they complete.
static void narrow_group(wi_rows *rows, uint8_t *target, size_t target_stride) {
    size_t first = rows->narrowed % rows->sizes.capacity;
    // The last group may be short: what lies in its other rows is narrowed too, and never used.
    rows->loops->across(
        &rows->across, rows->group, rows->sizes.narrow_floats, rows->ring + first * rows->sizes.target_floats,
        rows->sizes.target_floats);
    rows->narrowed += rows->waiting;
    rows->waiting = 0;
    make_rows(rows, target, target_stride);
}

/// Loads a source row into `target`, its pixels shrunken.
static void load_row(const wi_rows *rows, const uint8_t *source, float *target) {
    const wi_row_loops *loops = rows->loops;
    const wi_rows_setup *setup = &rows->setup;
    size_t width = setup->across.source, factor = rows->sizes.factor_across;
    if (factor == 1) {
        loops->load(source, width, setup->bits, setup->straight, target);
        return;
    }
    size_t piece = rows->sizes.piece_floats / 4, pixel_bytes = setup->bits == 8 ? 4 : 8;
    for (size_t x = 0; x < width; x += piece) {
        size_t count = width - x < piece ? width - x : piece;
        loops->load(source + x * pixel_bytes, count, setup->bits, setup->straight, rows->piece);
        loops->shrink(rows->piece, count, factor, target + x / factor * 4);
    }
}

/// Takes a source row as one of `factor_down` that become one.
static void take_row(wi_rows *rows, const uint8_t *source, uint8_t *target, size_t target_stride) {
    const wi_row_loops *loops = rows->loops;
    size_t floats = rows->sizes.narrow_floats - 4;
    float *slot = rows->group + rows->waiting * rows->sizes.narrow_floats;
    load_row(rows, source, rows->summed == 0 ? slot : rows->spare_row);
    if (rows->summed > 0) {
        loops->add(slot, rows->spare_row, floats);
    }
    rows->summed++;
    rows->taken++;
    bool is_last = rows->taken == rows->setup.down.source;
    if (rows->summed < rows->sizes.factor_down && !is_last) {
        return;
    }
    if (rows->sizes.factor_down > 1) {
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
