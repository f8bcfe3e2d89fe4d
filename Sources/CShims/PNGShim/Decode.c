// SPDX-License-Identifier: MIT
#include "PNGShim.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct decoder {
    const wi_png_decode_job *job;
    wi_png_report *report;
    png_structp png;
    png_infop info;
    png_bytep row;
    size_t offset;
    uint32_t rows;
    bool is_cancelled;
    bool has_begun;
} decoder;

static void on_error(png_structp png, png_const_charp text) {
    decoder *d = png_get_error_ptr(png);
    strncpy(d->report->message, text, sizeof d->report->message - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, size_t count) {
    decoder *d = png_get_io_ptr(png);
    if (count > d->job->size - d->offset) png_error(png, "the file is cut");
    memcpy(to, d->job->data + d->offset, count);
    d->offset += count;
}

static void set_output(decoder *d) {
    png_structp png = d->png;
    png_set_expand(png);
    if (d->job->bits == 16) {
        png_set_expand_16(png);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        png_set_swap(png);
#endif
    } else {
        png_set_strip_16(png);
    }
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, d->job->bits == 16 ? 65535 : 255, PNG_FILLER_AFTER);
}

static wi_png_status run(decoder *d) {
    const wi_png_decode_job *job = d->job;
    png_structp png = d->png;
    if (setjmp(png_jmpbuf(png))) return d->is_cancelled ? WI_PNG_CANCELLED : WI_PNG_CORRUPT;
    png_set_read_fn(png, d, on_read);
    png_set_user_limits(png, job->width, job->height);
    png_set_chunk_cache_max(png, 1000);
    png_set_chunk_malloc_max(png, job->most_chunk_bytes);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_read_info(png, d->info);
    set_output(d);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, d->info);
    const size_t row_size = (size_t)job->width * 4 * (size_t)(job->bits / 8);
    if (png_get_rowbytes(png, d->info) != row_size || png_get_image_height(png, d->info) != job->height)
        png_error(png, "the size changes within the file");
    d->has_begun = true;
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < job->height; y++) {
            if (y % 16 == 0 && job->flag && wi_flag_is_raised(job->flag)) {
                d->is_cancelled = true;
                return WI_PNG_CANCELLED;
            }
            png_read_row(png, job->pixels + (size_t)y * job->stride, NULL);
            d->rows++;
        }
    d->rows = job->height;
    return WI_PNG_OK;
}

wi_png_status wi_png_decode(const wi_png_decode_job *job, wi_png_report *report) {
    memset(report, 0, sizeof *report);
    decoder d = {.job = job, .report = report};
    decoder *heap = malloc(sizeof d);
    if (!heap) return WI_PNG_NO_MEMORY;
    *heap = d;
    heap->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, heap, on_error, on_warning);
    heap->info = heap->png ? png_create_info_struct(heap->png) : NULL;
    wi_png_status status = heap->info ? run(heap) : WI_PNG_NO_MEMORY;
    // Rows that are there are worth keeping; what follows the last of them is of no interest.
    if (status == WI_PNG_CORRUPT && heap->has_begun && heap->rows > 0) {
        report->is_partial = true;
        status = WI_PNG_OK;
    }
    report->rows = heap->rows;
    png_destroy_read_struct(&heap->png, &heap->info, NULL);
    free(heap);
    return status;
}
