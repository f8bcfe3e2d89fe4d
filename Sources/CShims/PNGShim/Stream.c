// SPDX-License-Identifier: MIT
// Files that arrive, through libpng's push reader. All jumps stay within `create` and `feed`.
#include "Library.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct wi_png_stream {
    png_structp png;
    png_infop info;
    wi_png_decode_job job;
    uint64_t rows;
    bool is_done, is_damaged, out_of_memory;
};

static void on_error(png_structp png, png_const_charp message) {
    wi_png_stream *stream = png_get_error_ptr(png);
    stream->is_damaged = true;
    stream->out_of_memory = strstr(message, "emory") != NULL;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    wi_png_stream *stream = png_get_error_ptr(png);
    if (wi_png_is_damage(message)) stream->is_damaged = true;
}

static void on_info(png_structp png, png_infop info) {
    const wi_png_stream *stream = png_get_progressive_ptr(png);
    wi_png_set_output(png, stream->job.format);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    wi_png_check_size(png, info, &stream->job);
}

static void on_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
    wi_png_stream *stream = png_get_progressive_ptr(png);
    if (row && y < stream->job.height) {
        png_progressive_combine_row(png, stream->job.pixels + stream->job.stride * y, row);
        stream->rows++;
    }
    // Rows that a pass does not have are called with NULL.
    if (y + 1 == stream->job.height && pass == (stream->job.interlaced ? 6 : 0)) stream->is_done = true;
}

static bool set_up(wi_png_stream *stream) {
    stream->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, stream, on_error, on_warning);
    if (!stream->png) return false;
    stream->info = png_create_info_struct(stream->png);
    if (!stream->info || setjmp(png_jmpbuf(stream->png))) return false;
    wi_png_set_limits(stream->png, stream->job.most_chunk_bytes, false);
    png_set_progressive_read_fn(stream->png, stream, on_info, on_row, NULL);
    return true;
}

wi_png_stream *wi_png_stream_create(const wi_png_decode_job *job) {
    wi_png_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->job = *job;
    if (set_up(stream)) return stream;
    wi_png_stream_free(stream);
    return NULL;
}

void wi_png_stream_free(wi_png_stream *stream) {
    if (stream) png_destroy_read_struct(&stream->png, &stream->info, NULL);
    free(stream);
}

wi_png_status wi_png_stream_feed(wi_png_stream *stream, const uint8_t *bytes, size_t size) {
    if (!stream->is_damaged && setjmp(png_jmpbuf(stream->png)) == 0) {
        // libpng does not write to what it is given.
        png_process_data(stream->png, stream->info, (png_bytep)(uintptr_t)bytes, size);
    }
    if (stream->out_of_memory) return WI_PNG_NO_MEMORY;
    return stream->is_damaged ? WI_PNG_CORRUPT : WI_PNG_OK;
}

uint64_t wi_png_stream_rows(const wi_png_stream *stream) { return stream->rows; }
bool wi_png_stream_is_done(const wi_png_stream *stream) { return stream->is_done; }
