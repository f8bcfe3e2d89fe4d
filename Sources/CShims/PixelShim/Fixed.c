// SPDX-License-Identifier: MIT
// The vertical pass comes first: it needs no shuffling of pixels, and leaves the horizontal one only the
// target's rows. Both go in strips of columns and bands of rows, so that what they share stays in the
// second-level cache.
#include "Fixed.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// Target rows of a band; even, and a multiple of the second pass's group.
    WI_BAND = WI_FIXED_STEP,
    /// Source columns of a strip, unless one target pixel needs more.
    WI_STRIP = 4096,
    /// With more taps, 14 bits are too few to tell the weights apart.
    WI_MOST_TAPS = 512,
    /// The weights of a very wide picture would take more memory than its rows.
    WI_MOST_WEIGHTS = 16 << 20,
};

struct wi_fixed_plan {
    wi_resample_job job;
    wi_weights across, down;
    wi_first_pass *first_pass;
    wi_second_pass *second_pass;
    /// Samples of a middle row.
    size_t stride;
};

/// What one thread works with.
typedef struct wi_fixed {
    const wi_fixed_plan *shared;
    /// WI_BAND rows of the plan's stride.
    int16_t *middle;
    /// Where rows of the last group that the target does not have go.
    uint8_t *spare;
    wi_row_plan plans[WI_BAND / 2];
} wi_fixed;

/// The weight of source row `row` in target row `y`, in the low 16 bits.
static uint32_t weight(const wi_weights *down, size_t y, int32_t row) {
    wi_window window = down->windows[y];
    bool inside = row >= window.start && row < window.start + window.count;
    return inside ? (uint16_t)down->fixed[y * down->taps + (size_t)(row - window.start)] : 0;
}

/// Pairs of the rows `from..<to` for the target rows `first` and `second`.
static size_t add_pairs(
    const wi_fixed_plan *fixed, wi_row_pair *pairs, size_t first, size_t second, int32_t from, int32_t to) {
    size_t count = 0, stride = fixed->job.source_stride;
    int32_t bottom = (int32_t)fixed->job.down.source - 1;
    for (int32_t row = from; row < to; row += 2, count++) {
        int32_t next = row < bottom ? row + 1 : bottom;
        bool has_next = row < bottom;
        pairs[count] = (wi_row_pair){
            .upper = (size_t)row * stride,
            .lower = (size_t)next * stride,
            .first =
                weight(&fixed->down, first, row) | (has_next ? weight(&fixed->down, first, next) << 16 : 0),
            .second =
                weight(&fixed->down, second, row) | (has_next ? weight(&fixed->down, second, next) << 16 : 0),
        };
    }
    return count;
}

/// Plans the target rows `first` and `second`, which may be the same. A pair on a border goes to the rows for
/// both: its weight is 0 where it does not count.
static void plan(const wi_fixed_plan *fixed, wi_row_plan *plan, size_t first, size_t second) {
    wi_window a = fixed->down.windows[first], b = fixed->down.windows[second];
    int32_t a_end = a.start + a.count, b_end = b.start + b.count;
    int32_t alone = (b.start < a_end ? b.start : a_end) - a.start;
    int32_t both = a.start + alone / 2 * 2;
    int32_t both_end = both + (a_end - both + 1) / 2 * 2;
    int32_t rest = both_end > b.start ? both_end : b.start;
    plan->first_count = add_pairs(fixed, plan->pairs, first, second, a.start, both);
    plan->both_count = add_pairs(fixed, plan->pairs + plan->first_count, first, second, both, a_end);
    plan->second_count =
        add_pairs(fixed, plan->pairs + plan->first_count + plan->both_count, first, second, rest, b_end);
}

/// The target columns of the strip that begins at `from`, and their source columns.
static size_t strip_end(const wi_fixed_plan *fixed, size_t from, size_t *source_end) {
    const wi_window *windows = fixed->across.windows;
    size_t base = (size_t)windows[from].start, to = from, end = base;
    while (to < fixed->across.size) {
        size_t needed = (size_t)windows[to].start + (size_t)windows[to].count;
        if (to > from && needed > base + WI_STRIP) {
            break;
        }
        end = needed > end ? needed : end;
        to++;
    }
    *source_end = end;
    return to;
}

static void run_strip(
    wi_fixed *fixed, size_t first_row, size_t rows, size_t from, size_t to, size_t source_end) {
    const wi_fixed_plan *shared = fixed->shared;
    const wi_resample_job *job = &shared->job;
    size_t base = (size_t)shared->across.windows[from].start, stride = shared->stride;
    for (size_t y = 0; y < rows; y += 2) {
        int16_t *middle = fixed->middle + y * stride;
        shared->first_pass(
            &fixed->plans[y / 2], job->source + 4 * base, source_end - base, middle, middle + stride);
    }
    for (size_t y = 0; y < rows; y += WI_ROW_GROUP) {
        const int16_t *middle[WI_ROW_GROUP];
        uint8_t *target[WI_ROW_GROUP];
        for (size_t row = 0; row < WI_ROW_GROUP; row++) {
            middle[row] = fixed->middle + (y + row) * stride;
            target[row] =
                y + row < rows ? job->target + (first_row + y + row) * job->target_stride : fixed->spare;
        }
        shared->second_pass(&shared->across, from, to, base, middle, target);
    }
}

static void run_band(wi_fixed *fixed, size_t first_row, size_t rows) {
    const wi_fixed_plan *shared = fixed->shared;
    for (size_t y = 0; y < rows; y += 2) {
        size_t row = first_row + y;
        plan(shared, &fixed->plans[y / 2], row, y + 1 < rows ? row + 1 : row);
    }
    for (size_t from = 0, to; from < shared->across.size; from = to) {
        size_t source_end;
        to = strip_end(shared, from, &source_end);
        run_strip(fixed, first_row, rows, from, to, source_end);
    }
}

static wi_resample_result run(wi_fixed *fixed, size_t from, size_t to) {
    const wi_flag *flag = fixed->shared->job.flag;
    for (size_t y = from; y < to; y += WI_BAND) {
        if (flag && wi_flag_is_raised(flag)) {
            return WI_RESAMPLE_CANCELLED;
        }
        run_band(fixed, y, to - y < WI_BAND ? to - y : WI_BAND);
    }
    return WI_RESAMPLE_DONE;
}

/// The most source columns that a strip has.
static size_t widest_strip(const wi_fixed_plan *fixed) {
    size_t widest = 0;
    for (size_t from = 0, to; from < fixed->across.size; from = to) {
        size_t end;
        to = strip_end(fixed, from, &end);
        size_t columns = end - (size_t)fixed->across.windows[from].start;
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static bool allocate(wi_fixed *fixed) {
    const wi_fixed_plan *shared = fixed->shared;
    fixed->middle = calloc(WI_BAND * shared->stride, sizeof(int16_t));
    fixed->spare = malloc(shared->job.across.size * 4);
    // Two windows, and a pair's half on each of the two borders.
    size_t pairs = shared->down.taps + 4;
    wi_row_pair *all = calloc(pairs * (WI_BAND / 2), sizeof(wi_row_pair));
    for (size_t i = 0; i < WI_BAND / 2; i++) {
        fixed->plans[i].pairs = all ? all + i * pairs : NULL;
    }
    return fixed->middle && fixed->spare && all;
}

static void choose_kernels(wi_fixed_plan *fixed, bool scalar) {
    fixed->first_pass = wi_first_pass_scalar;
    fixed->second_pass = wi_second_pass_scalar;
#if defined(__x86_64__)
    if (!scalar && wi_has_avx2()) {
        fixed->first_pass = wi_first_pass_avx2;
        fixed->second_pass = wi_second_pass_avx2;
    }
#else
    (void)scalar;
#endif
}

wi_resample_result wi_fixed_create(const wi_resample_job *job, wi_fixed_plan **made) {
    *made = NULL;
    size_t taps = wi_weights_taps(job->filter, job->across), down = wi_weights_taps(job->filter, job->down);
    if (taps > WI_MOST_TAPS || down > WI_MOST_TAPS || taps * job->across.size > WI_MOST_WEIGHTS
        || down * job->down.size > WI_MOST_WEIGHTS) {
        return WI_RESAMPLE_UNFIT;
    }
    wi_fixed_plan *fixed = calloc(1, sizeof(wi_fixed_plan));
    if (!fixed) {
        return WI_RESAMPLE_NO_MEMORY;
    }
    fixed->job = *job;
    choose_kernels(fixed, job->scalar);
    wi_resample_result result = wi_weights_make(&fixed->across, job->filter, job->across, 2, 4, true);
    if (result == WI_RESAMPLE_DONE) {
        result = wi_weights_make(&fixed->down, job->filter, job->down, 1, 1, true);
    }
    if (result != WI_RESAMPLE_DONE) {
        wi_fixed_free(fixed);
        return result;
    }
    fixed->stride = (widest_strip(fixed) + WI_SLACK) / 2 * 8 + 8;
    *made = fixed;
    return WI_RESAMPLE_DONE;
}

void wi_fixed_free(wi_fixed_plan *plan) {
    if (plan) {
        wi_weights_free(&plan->across);
        wi_weights_free(&plan->down);
        free(plan);
    }
}

wi_resample_result wi_fixed_run(const wi_fixed_plan *plan, size_t from, size_t to) {
    wi_fixed fixed = {.shared = plan};
    wi_resample_result result = allocate(&fixed) ? run(&fixed, from, to) : WI_RESAMPLE_NO_MEMORY;
    free(fixed.plans[0].pairs);
    free(fixed.middle);
    free(fixed.spare);
    return result;
}
