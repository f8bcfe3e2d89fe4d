// SPDX-License-Identifier: MIT
#include "PNGShim.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct encoder {
    const wi_png_encode_job *job;
    wi_png_report *report;
    png_structp png;
    png_infop info;
    uint8_t *bytes;
    size_t size, room;
    bool is_out_of_memory, is_cancelled;
} encoder;

static void on_error(png_structp png, png_const_charp text) {
    encoder *e = png_get_error_ptr(png);
    strncpy(e->report->message, text, sizeof e->report->message - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep from, size_t count) {
    encoder *e = png_get_io_ptr(png);
    if (count > e->room - e->size) {
        size_t room = e->room < 4096 ? 8192 : e->room * 2;
        while (room - e->size < count) room *= 2;
        uint8_t *grown = realloc(e->bytes, room);
        if (!grown) {
            e->is_out_of_memory = true;
            png_error(png, "out of memory");
        }
        e->bytes = grown;
        e->room = room;
    }
    memcpy(e->bytes + e->size, from, count);
    e->size += count;
}

static void on_flush(png_structp png) { (void)png; }

static void set_metadata(encoder *e) {
    const wi_png_encode_job *job = e->job;
    if (job->icc_size) png_set_iCCP(e->png, e->info, "ICC profile", 0, job->icc, (png_uint_32)job->icc_size);
#ifdef PNG_eXIf_SUPPORTED
    if (job->exif_size) png_set_eXIf_1(e->png, e->info, (png_uint_32)job->exif_size, (png_bytep)job->exif);
#endif
    if (job->pixels_per_metre_x && job->pixels_per_metre_y)
        png_set_pHYs(e->png, e->info, job->pixels_per_metre_x, job->pixels_per_metre_y, PNG_RESOLUTION_METER);
    if (job->xmp) {
        png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE, .key = "XML:com.adobe.xmp", .text = (char *)job->xmp};
        png_set_text(e->png, e->info, &text, 1);
    }
}

static wi_png_status run(encoder *e) {
    const wi_png_encode_job *job = e->job;
    png_structp png = e->png;
    if (setjmp(png_jmpbuf(png))) return e->is_out_of_memory ? WI_PNG_NO_MEMORY : WI_PNG_CORRUPT;
    png_set_write_fn(png, e, on_write, on_flush);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_benign_errors(png, 1);
    png_set_compression_level(png, job->level);
    if (job->filters) png_set_filter(png, PNG_FILTER_TYPE_BASE, job->filters << 3);
    png_set_IHDR(png, e->info, job->width, job->height, job->bits, job->has_alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
                 job->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_metadata(e);
    png_write_info(png, e->info);
    if (!job->has_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
    if (job->bgra) png_set_bgr(png);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (job->bits == 16) png_set_swap(png);
#endif
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < job->height; y++) {
            if (y % 16 == 0 && job->flag && wi_flag_is_raised(job->flag)) return WI_PNG_CANCELLED;
            png_write_row(png, (png_bytep)(job->pixels + (size_t)y * job->stride));
        }
    png_write_end(png, e->info);
    return WI_PNG_OK;
}

wi_png_status wi_png_encode(const wi_png_encode_job *job, uint8_t **bytes, size_t *size, wi_png_report *report) {
    memset(report, 0, sizeof *report);
    encoder *e = calloc(1, sizeof *e);
    if (!e) return WI_PNG_NO_MEMORY;
    e->job = job;
    e->report = report;
    e->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, e, on_error, on_warning);
    e->info = e->png ? png_create_info_struct(e->png) : NULL;
    wi_png_status status = e->info ? run(e) : WI_PNG_NO_MEMORY;
    png_destroy_write_struct(&e->png, &e->info);
    if (status == WI_PNG_OK) {
        *bytes = e->bytes;
        *size = e->size;
    } else {
        free(e->bytes);
    }
    free(e);
    return status;
}
