// SPDX-License-Identifier: MIT
#include "Weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t nearest(wi_direction direction, size_t index) {
    double center = direction.start + ((double)index + 0.5) * (direction.length / (double)direction.size);
    double last = (double)direction.source - 1;
    return (size_t)(center < 0 ? 0 : floor(center) > last ? last : center);
}

static void copy_row(
    const uint8_t *source, const size_t *columns, size_t width, uint8_t *target, size_t pixel_bytes) {
    if (pixel_bytes == 4) {
        for (size_t x = 0; x < width; x++) {
            memcpy(target + 4 * x, source + columns[x], 4);
        }
    } else {
        for (size_t x = 0; x < width; x++) {
            memcpy(target + 8 * x, source + columns[x], 8);
        }
    }
}

wi_resample_result wi_resample_nearest(const wi_resample_job *job, size_t pixel_bytes) {
    size_t width = job->across.size;
    size_t *columns = malloc(width * sizeof(size_t));
    if (!columns) {
        return WI_RESAMPLE_NO_MEMORY;
    }
    for (size_t x = 0; x < width; x++) {
        columns[x] = nearest(job->across, x) * pixel_bytes;
    }
    wi_resample_result result = WI_RESAMPLE_DONE;
    for (size_t y = 0; y < job->down.size && result == WI_RESAMPLE_DONE; y++) {
        if (job->flag && wi_flag_is_raised(job->flag)) {
            result = WI_RESAMPLE_CANCELLED;
        }
        copy_row(
            job->source + nearest(job->down, y) * job->source_stride, columns, width,
            job->target + y * job->target_stride, pixel_bytes);
    }
    free(columns);
    return result;
}
