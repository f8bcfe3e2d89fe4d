// SPDX-License-Identifier: MIT
// Boxes of colours are cut where that lowers their variance most, with sums over all boxes known beforehand
// (X. Wu, "Efficient statistical computations for optimal color quantization", Graphics Gems II, 1991); the
// colours found are then moved to the means of what is nearest to them.
#include "Nearest.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// Cells of the histogram along each channel, and, with the empty one in front, of the sums.
    SIDE = 32,
    EDGE = SIDE + 1,
    CELLS = EDGE * EDGE * EDGE,
    MOST = 256,
    REFINEMENTS = 3,
};

/// Of the colours in a cell, or in all cells up to it.
typedef struct moment {
    int64_t weight, sum[3];
    double squares;
} moment;

/// Cells from `low`, not included, to `high`.
typedef struct box {
    int low[3], high[3];
    double variance;
} box;

static int cell(int r, int g, int b) { return (r * EDGE + g) * EDGE + b; }

static void add(moment *to, const moment *from, int sign) {
    to->weight += sign * from->weight;
    for (int c = 0; c < 3; c++) to->sum[c] += sign * from->sum[c];
    to->squares += sign * from->squares;
}

static void count_colors(moment *cells, const uint32_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!pixels[i]) continue;
        uint8_t p[4];
        memcpy(p, &pixels[i], 4);
        moment *m = &cells[cell((p[0] >> 3) + 1, (p[1] >> 3) + 1, (p[2] >> 3) + 1)];
        m->weight++;
        for (int c = 0; c < 3; c++) m->sum[c] += p[c];
        m->squares += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    }
}

static void accumulate(moment *cells) {
    const int steps[3] = {cell(1, 0, 0), cell(0, 1, 0), cell(0, 0, 1)};
    for (int axis = 0; axis < 3; axis++)
        for (int r = 1; r < EDGE; r++)
            for (int g = 1; g < EDGE; g++)
                for (int b = 1; b < EDGE; b++) {
                    const int at = cell(r, g, b);
                    add(&cells[at], &cells[at - steps[axis]], 1);
                }
}

/// The sum over a box, by its eight corners.
static moment volume(const moment *sums, const box *b) {
    moment m = {0};
    for (int corner = 0; corner < 8; corner++) {
        const int *r = corner & 1 ? b->low : b->high, *g = corner & 2 ? b->low : b->high,
                  *bl = corner & 4 ? b->low : b->high;
        add(&m, &sums[cell(r[0], g[1], bl[2])], __builtin_popcount((unsigned)corner) & 1 ? -1 : 1);
    }
    return m;
}

static double squared_mean(const moment *m) {
    if (m->weight == 0) return 0;
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += (double)m->sum[c] * (double)m->sum[c];
    return sum / (double)m->weight;
}

/// How far the colours of a box lie from their mean, all together; negative for boxes that cannot be cut.
static double variance(const moment *sums, const box *b) {
    int cells = 1;
    for (int c = 0; c < 3; c++) cells *= b->high[c] - b->low[c];
    if (cells <= 1) return -1;
    const moment m = volume(sums, b);
    return m.squares - squared_mean(&m);
}

/// Cuts a box where the two parts are most alike within themselves; false when all of it is on one side.
static bool cut(const moment *sums, box *first, box *second) {
    const moment whole = volume(sums, first);
    double best = -1;
    int best_axis = 0, best_at = 0;
    for (int axis = 0; axis < 3; axis++) {
        box part = *first;
        for (int at = first->low[axis] + 1; at < first->high[axis]; at++) {
            part.high[axis] = at;
            const moment low = volume(sums, &part);
            if (low.weight == 0) continue;
            if (low.weight == whole.weight) break;
            moment high = whole;
            add(&high, &low, -1);
            const double score = squared_mean(&low) + squared_mean(&high);
            if (score > best) {
                best = score;
                best_axis = axis;
                best_at = at;
            }
        }
    }
    if (best < 0) return false;
    *second = *first;
    first->high[best_axis] = best_at;
    second->low[best_axis] = best_at;
    return true;
}

static size_t cut_boxes(const moment *sums, box *boxes, size_t most) {
    boxes[0] = (box){{0, 0, 0}, {SIDE, SIDE, SIDE}, 0};
    boxes[0].variance = variance(sums, &boxes[0]);
    size_t used = 1;
    while (used < most) {
        size_t worst = 0;
        for (size_t i = 1; i < used; i++)
            if (boxes[i].variance > boxes[worst].variance) worst = i;
        if (boxes[worst].variance <= 0) break;
        if (!cut(sums, &boxes[worst], &boxes[used])) {
            boxes[worst].variance = -1;
            continue;
        }
        boxes[worst].variance = variance(sums, &boxes[worst]);
        boxes[used].variance = variance(sums, &boxes[used]);
        used++;
    }
    return used;
}

/// The means of cells that hold colours, and how many they hold.
typedef struct samples {
    float mean[3][SIDE * SIDE * SIDE];
    float weight[SIDE * SIDE * SIDE];
    size_t count;
} samples;

static void collect(const moment *cells, samples *s) {
    s->count = 0;
    for (int at = 0; at < CELLS; at++) {
        if (cells[at].weight == 0) continue;
        const double weight = (double)cells[at].weight;
        for (int c = 0; c < 3; c++) s->mean[c][s->count] = (float)((double)cells[at].sum[c] / weight);
        s->weight[s->count++] = (float)weight;
    }
}

static void round_colors(const float colors[3][MOST], size_t used, uint32_t palette[MOST]) {
    for (size_t i = 0; i < used; i++) {
        const uint8_t pixel[4] = {(uint8_t)(colors[0][i] + 0.5f), (uint8_t)(colors[1][i] + 0.5f),
                                  (uint8_t)(colors[2][i] + 0.5f), 255};
        memcpy(&palette[i], pixel, 4);
    }
}

/// Moves each colour to the mean of the samples that are nearest to it.
static void refine(const samples *s, float colors[3][MOST], size_t used) {
    double sum[3][MOST] = {{0}}, weight[MOST] = {0};
    uint32_t palette[MOST];
    round_colors(colors, used, palette);
    nearest_colors rounded;
    wi_gif_set_colors(&rounded, palette, used);
    for (size_t i = 0; i < s->count; i++) {
        int mean[3];
        for (int c = 0; c < 3; c++) mean[c] = (int)(s->mean[c][i] + 0.5f);
        const size_t at = wi_gif_nearest(&rounded, mean);
        weight[at] += s->weight[i];
        for (int c = 0; c < 3; c++) sum[c][at] += s->mean[c][i] * s->weight[i];
    }
    for (size_t i = 0; i < used; i++)
        for (int c = 0; c < 3 && weight[i] > 0; c++) colors[c][i] = (float)(sum[c][i] / weight[i]);
}

bool wi_gif_quantize(const uint32_t *pixels, size_t count, size_t most, uint32_t palette[256], size_t *used) {
    moment *sums = calloc(CELLS, sizeof *sums);
    samples *s = malloc(sizeof *s);
    if (!sums || !s) {
        free(sums);
        free(s);
        return false;
    }
    count_colors(sums, pixels, count);
    collect(sums, s);
    accumulate(sums);
    box boxes[MOST];
    *used = cut_boxes(sums, boxes, most < 1 ? 1 : most > MOST ? MOST : most);
    float colors[3][MOST];
    for (size_t i = 0; i < *used; i++) {
        const moment m = volume(sums, &boxes[i]);
        const double weight = m.weight ? (double)m.weight : 1;
        for (int c = 0; c < 3; c++) colors[c][i] = (float)((double)m.sum[c] / weight);
    }
    for (int round = 0; round < REFINEMENTS; round++) refine(s, colors, *used);
    round_colors(colors, *used, palette);
    free(sums);
    free(s);
    return true;
}
