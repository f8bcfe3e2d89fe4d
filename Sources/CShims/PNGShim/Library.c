// SPDX-License-Identifier: MIT
// Every file through libpng, row by row. All jumps stay within `run`.
#include "Library.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/// What must outlive a jump.
typedef struct reader {
    png_structp png;
    png_infop info;
    const wi_png_decode_job *job;
    wi_png_report *report;
    size_t offset;
    /// Where an IDAT chunk begins whose data the file's end cuts; the file's size when there is none.
    size_t cut;
    /// Rows that somebody took already.
    uint32_t taken;
    bool cancelled;
    bool out_of_memory;
    /// All data came, and are not what was written: where in the picture cannot be told.
    bool sum_is_wrong;
} reader;

void wi_png_note(wi_png_report *report, const char *message) {
    snprintf(report->message, sizeof report->message, "%s", message);
}

bool wi_png_is_damage(const char *warning) {
    return strstr(warning, "IDAT") && (strstr(warning, "incorrect data check") || strstr(warning, "CRC error"));
}

static void on_error(png_structp png, png_const_charp message) {
    reader *r = png_get_error_ptr(png);
    if (r->cancelled) png_longjmp(png, 1);
    if (!r->report->failed) wi_png_note(r->report, message);
    r->report->failed = true;
    r->out_of_memory = strstr(message, "emory") != NULL;
    r->sum_is_wrong = strstr(message, "incorrect data check") != NULL;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    reader *r = png_get_error_ptr(png);
    if (r->report->message[0] == 0) wi_png_note(r->report, message);
    if (wi_png_is_damage(message)) r->report->failed = true;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    reader *r = png_get_io_ptr(png);
    if (count > r->job->size - r->offset) {
        r->report->ended = true;
        png_error(png, "the file ends early");
    }
    memcpy(target, r->job->data + r->offset, count);
    if (r->offset == r->cut && count == 8) {
        // libpng reads chunks 8 KB at a time and would lose what is there of the last piece: the chunk is
        // said to be as long as it is, and the end met behind it.
        const size_t length = r->job->size - r->offset - 8;
        for (int i = 0; i < 4; i++) target[i] = (png_byte)(length >> (24 - 8 * i));
    }
    r->offset += count;
}

static size_t find_cut(const wi_png_decode_job *job) {
    size_t at = job->first_idat;
    while (at < job->size && job->size - at >= 8) {
        const size_t length = wi_png_big32(job->data + at), rest = job->size - at - 8;
        if (length > rest) return memcmp(job->data + at + 4, "IDAT", 4) == 0 ? at : job->size;
        if (rest - length < 4) break;
        at += length + 12;
    }
    return job->size;
}

void wi_png_set_limits(png_structp png, size_t most_chunk_bytes, bool checks_sum) {
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_benign_errors(png, 1);
    png_set_chunk_cache_max(png, 1000);
    png_set_chunk_malloc_max(png, most_chunk_bytes);
#ifdef PNG_SET_UNKNOWN_CHUNKS_SUPPORTED
    // All that describes the picture was read already: libpng keeps to IHDR, PLTE, tRNS, IDAT and IEND.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#endif
    // Neither PNG_OPTION_ON nor PNG_OPTION_OFF, which is not 0: the function takes a truth value.
#ifdef PNG_IGNORE_ADLER32
    png_set_option(png, PNG_IGNORE_ADLER32, !checks_sum);
#endif
#ifdef PNG_MAXIMUM_INFLATE_WINDOW
    // Some encoders state a window that is too small for their own data; every decoder that does not look is right.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, 1);
#endif
}

void wi_png_set_output(png_structp png, wi_png_pixels format) {
    png_set_expand(png);
    png_set_gray_to_rgb(png);
    if (format == WI_PNG_RGBA16) {
        png_set_expand_16(png);
        png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        png_set_swap(png);
#endif
    } else {
        png_set_strip_16(png);
        png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
        if (format == WI_PNG_BGRA8) png_set_bgr(png);
    }
}

void wi_png_check_size(png_structp png, png_infop info, const wi_png_decode_job *job) {
    const size_t pixel = job->format == WI_PNG_RGBA16 ? 8 : 4;
    if (png_get_image_width(png, info) != job->width || png_get_image_height(png, info) != job->height ||
        png_get_rowbytes(png, info) != (size_t)job->width * pixel)
        png_error(png, "the header does not say what it said before");
}

static void poll(reader *r) {
    if (!wi_png_is_cancelled(r->job->flag)) return;
    r->cancelled = true;
    png_error(r->png, "cancelled");
}

static void read_rows(reader *r, int passes) {
    const wi_png_decode_job *job = r->job;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < job->height; y++) {
            if (y % 16 == 0) poll(r);
            png_bytep row = wi_png_row(job, y);
            if (passes == 1 && y == job->height - 1) memset(row, 0, png_get_rowbytes(r->png, r->info));
            // Of several passes each pixel fills the block it stands for: a cut picture is coarse then, not
            // dotted.
            png_read_row(r->png, passes > 1 ? NULL : row, passes > 1 ? row : NULL);
            r->report->has_pixels = true;
            if (pass < passes - 1) continue;
            r->report->rows = y + 1;
            // What is left of a band is handed out at the end, whole picture or not.
            if (y >= r->taken) {
                wi_png_hand_out(job, y + 1, false);
                if (job->take_rows && (y + 1) % job->band == 0) r->taken = y + 1;
            }
        }
    }
}

static void read_picture(reader *r) {
    png_read_info(r->png, r->info);
    wi_png_set_output(r->png, r->job->format);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    wi_png_check_size(r->png, r->info, r->job);
    if (passes > 1 && r->job->take_rows) png_error(r->png, "interlaced pictures do not come in bands");
    read_rows(r, passes);
}

/// Whether an error behind the last row, in the chunk that held it, came when its pixels had been written.
static bool has_last_row(const reader *r) {
    const wi_png_decode_job *job = r->job;
    if (job->interlaced || r->report->rows != job->height - 1) return false;
    const uint8_t *const row = wi_png_row(job, job->height - 1);
    const size_t size = (size_t)job->width * (job->format == WI_PNG_RGBA16 ? 8 : 4);
    for (size_t i = 0; i < size; i++)
        if (row[i]) return true;
    return false;
}

static wi_png_status run(reader *r, bool checks_sum) {
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, on_error, on_warning);
    if (!r->png) return WI_PNG_NO_MEMORY;
    r->info = png_create_info_struct(r->png);
    if (!r->info) return WI_PNG_NO_MEMORY;
    if (setjmp(png_jmpbuf(r->png)) == 0) {
        wi_png_set_limits(r->png, r->job->most_chunk_bytes, checks_sum);
        png_set_read_fn(r->png, r, read_bytes);
        read_picture(r);
    }
    if (r->cancelled) return WI_PNG_CANCELLED;
    if (r->sum_is_wrong && checks_sum) return WI_PNG_OK;
    if (r->report->failed && has_last_row(r)) r->report->rows++;
    const uint32_t rows = r->report->rows;
    if (r->job->take_rows && rows % r->job->band != 0) wi_png_hand_out(r->job, rows, true);
    if (r->report->has_pixels) return WI_PNG_OK;
    return r->out_of_memory ? WI_PNG_NO_MEMORY : WI_PNG_CORRUPT;
}

wi_png_status wi_png_decode(const wi_png_decode_job *job, wi_png_report *report) {
    reader r = {.job = job, .report = report, .cut = find_cut(job)};
    wi_png_status status = run(&r, true);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    if (status == WI_PNG_OK && r.sum_is_wrong) {
        // Read once more, for the rows that the error took.
        r.offset = 0;
        status = run(&r, false);
        png_destroy_read_struct(&r.png, &r.info, NULL);
    }
    return status;
}
