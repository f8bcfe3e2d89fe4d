// SPDX-License-Identifier: MIT
#include "Common.h"

#include <stdlib.h>
#include <string.h>

/// What must outlive a jump: the decompressor, its watch over the work, and a row of CMYK.
typedef struct decoder {
    struct jpeg_decompress_struct info;
    wi_jpeg_errors errors;
    struct jpeg_progress_mgr progress;
    const wi_jpeg_decode_job *job;
    uint8_t *cmyk;
} decoder;

// Called for every row of blocks read and written, so also through the many scans of a progressive picture.
static void watch(j_common_ptr common) {
    decoder *d = (decoder *)common;
    if (d->info.input_scan_number > d->job->most_scans) wi_jpeg_leave(common, WI_JPEG_SCAN_LIMIT);
    if (d->job->flag && wi_flag_is_raised(d->job->flag)) wi_jpeg_leave(common, WI_JPEG_CANCELLED);
}

static inline uint8_t times(uint32_t a, uint32_t b) {
    uint32_t t = a * b + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

// Adobe stores ink inverted: what is written as cyan is already the light that is left.
static void cmyk_row(const uint8_t *from, uint8_t *to, size_t width, bool inverted, bool bgra) {
    const uint8_t flip = inverted ? 0 : 255;
    const size_t red = bgra ? 2 : 0;
    for (size_t x = 0; x < width; x++, from += 4, to += 4) {
        const uint32_t k = from[3] ^ flip;
        to[red] = times(from[0] ^ flip, k);
        to[1] = times(from[1] ^ flip, k);
        to[2 - red] = times(from[2] ^ flip, k);
        to[3] = 255;
    }
}

static void read_rows(decoder *d) {
    struct jpeg_decompress_struct *info = &d->info;
    const wi_jpeg_decode_job *job = d->job;
    enum { MOST = 16 };
    while (info->output_scanline < info->output_height) {
        if (job->flag && wi_flag_is_raised(job->flag)) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_CANCELLED);
        JSAMPROW rows[MOST];
        const JDIMENSION first = info->output_scanline;
        JDIMENSION count = info->output_height - first;
        if (count > MOST) count = MOST;
        for (JDIMENSION i = 0; i < count; i++) rows[i] = job->pixels + (size_t)(first + i) * job->stride;
        if (d->cmyk) {
            JSAMPROW row = d->cmyk;
            if (jpeg_read_scanlines(info, &row, 1) == 1)
                cmyk_row(d->cmyk, rows[0], info->output_width, info->saw_Adobe_marker, job->bgra);
        } else {
            jpeg_read_scanlines(info, rows, count);
        }
    }
}

static void set_output(decoder *d) {
    struct jpeg_decompress_struct *info = &d->info;
    info->scale_num = (unsigned)d->job->scale;
    info->scale_denom = 8;
    // Smooth chroma is not seen once the picture is reduced.
    if (d->job->scale < 8) info->do_fancy_upsampling = FALSE;
    if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK) {
        info->out_color_space = JCS_CMYK;
    } else {
        info->out_color_space = d->job->bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA;
    }
}

static wi_jpeg_status run(decoder *d) {
    struct jpeg_decompress_struct *info = &d->info;
    if (setjmp(d->errors.escape)) return d->errors.status;
    jpeg_create_decompress(info);
    info->progress = &d->progress;
    d->progress.progress_monitor = watch;
    jpeg_mem_src(info, d->job->data, d->job->size);
    jpeg_read_header(info, TRUE);
    if (info->src->bytes_in_buffer < 3) return WI_JPEG_NO_DATA;
    set_output(d);
    jpeg_calc_output_dimensions(info);
    if (info->output_width != d->job->width || info->output_height != d->job->height) {
        strcpy(d->errors.report->message, "the size changes within the file");
        return WI_JPEG_CORRUPT;
    }
    if (info->out_color_space == JCS_CMYK) {
        d->cmyk = malloc((size_t)info->output_width * 4);
        if (!d->cmyk) return WI_JPEG_NO_MEMORY;
    }
    jpeg_start_decompress(info);
    read_rows(d);
    jpeg_finish_decompress(info);
    return WI_JPEG_OK;
}

static void fill_grey(const wi_jpeg_decode_job *job, uint32_t first) {
    for (uint32_t y = first; y < job->height; y++) {
        uint8_t *row = job->pixels + (size_t)y * job->stride;
        for (uint32_t x = 0; x < job->width; x++) {
            row[4 * x] = row[4 * x + 1] = row[4 * x + 2] = 128;
            row[4 * x + 3] = 255;
        }
    }
}

wi_jpeg_status wi_jpeg_decode(const wi_jpeg_decode_job *job, wi_jpeg_report *report) {
    decoder *d = calloc(1, sizeof *d);
    if (!d) return WI_JPEG_NO_MEMORY;
    d->job = job;
    d->info.err = wi_jpeg_catch(&d->errors, report);
    wi_jpeg_status status = run(d);
    report->rows = d->info.output_scanline;
    if (status == WI_JPEG_CORRUPT && report->rows > 0) {
        fill_grey(job, report->rows);
        report->damages++;
        status = WI_JPEG_OK;
    }
    jpeg_destroy_decompress(&d->info);
    free(d->cmyk);
    free(d);
    return status;
}
