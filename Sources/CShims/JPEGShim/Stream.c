// SPDX-License-Identifier: MIT
// Files that arrive: the decompressor is suspended where the bytes end, and goes on from there. All jumps stay within the
// functions that the header names.
#include "Common.h"

#include <stdlib.h>
#include <string.h>

typedef enum stage { HEAD, START, ROWS, SCANS } stage;

struct wi_jpeg_stream {
    struct jpeg_decompress_struct info;
    wi_jpeg_errors errors;
    wi_jpeg_report report;
    struct jpeg_source_mgr source;
    wi_jpeg_decode_job job;
    stage stage;
    wi_jpeg_status status;
    /// Where the decompressor reads on, and bytes behind that it wants to skip.
    size_t offset, skipped;
    uint8_t *inks;
    /// Whether the last picture that was drawn is still to be ended.
    bool is_drawn;
};

static void nothing(j_decompress_ptr info) { (void)info; }

/// FALSE: the decompressor is to be suspended.
static boolean fill(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

static void skip(j_decompress_ptr info, long count) {
    wi_jpeg_stream *s = info->client_data;
    if (count <= 0) return;
    const size_t there = s->source.bytes_in_buffer;
    const size_t taken = (size_t)count < there ? (size_t)count : there;
    s->source.next_input_byte += taken;
    s->source.bytes_in_buffer -= taken;
    s->skipped += (size_t)count - taken;
}

/// Lets the decompressor see the bytes from where it stopped.
static void open_source(wi_jpeg_stream *s, const uint8_t *data, size_t size) {
    const size_t there = size - s->offset;
    const size_t taken = s->skipped < there ? s->skipped : there;
    s->skipped -= taken;
    s->offset += taken;
    s->source.next_input_byte = data + s->offset;
    s->source.bytes_in_buffer = there - taken;
}

static void close_source(wi_jpeg_stream *s, size_t size) {
    s->offset = size - s->source.bytes_in_buffer;
    s->source.next_input_byte = NULL;
    s->source.bytes_in_buffer = 0;
}

static void poll(wi_jpeg_stream *s, const wi_flag *flag) {
    if (flag && wi_flag_is_raised(flag)) wi_jpeg_leave((j_common_ptr)&s->info, WI_JPEG_CANCELLED);
    if (s->info.input_scan_number > s->job.most_scans)
        wi_jpeg_leave((j_common_ptr)&s->info, WI_JPEG_SCAN_LIMIT);
}

wi_jpeg_stream *wi_jpeg_stream_create(const wi_jpeg_decode_job *job) {
    wi_jpeg_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->job = *job;
    s->info.err = wi_jpeg_catch(&s->errors, &s->report);
    if (setjmp(s->errors.escape)) {
        wi_jpeg_stream_free(s);
        return NULL;
    }
    jpeg_create_decompress(&s->info);
    s->info.client_data = s;
    s->source.init_source = nothing;
    s->source.fill_input_buffer = fill;
    s->source.skip_input_data = skip;
    s->source.resync_to_restart = jpeg_resync_to_restart;
    s->source.term_source = nothing;
    s->info.src = &s->source;
    return s;
}

void wi_jpeg_stream_free(wi_jpeg_stream *s) {
    if (!s) return;
    jpeg_destroy_decompress(&s->info);
    free(s->inks);
    free(s);
}

static bool read_head(wi_jpeg_stream *s) {
    struct jpeg_decompress_struct *info = &s->info;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return false;
    // The arithmetic decoder cannot be suspended.
    if (info->arith_code) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_UNSUPPORTED);
    wi_jpeg_set_output(info, &s->job);
    info->buffered_image = jpeg_has_multiple_scans(info);
    jpeg_calc_output_dimensions(info);
    if (info->output_width != s->job.width || info->output_height != s->job.height)
        wi_jpeg_leave((j_common_ptr)info, WI_JPEG_CORRUPT);
    if (!info->buffered_image && !s->job.pixels) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_CORRUPT);
    if (info->out_color_space == JCS_CMYK) {
        s->inks = malloc((size_t)info->output_width * 4);
        if (!s->inks) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_NO_MEMORY);
    }
    return true;
}

/// The next rows; 0 where the bytes end before.
static JDIMENSION read_rows(wi_jpeg_stream *s, uint8_t *pixels, size_t stride) {
    struct jpeg_decompress_struct *info = &s->info;
    const JDIMENSION first = info->output_scanline;
    JSAMPROW rows[WI_JPEG_BAND];
    JDIMENSION count = info->output_height - first;
    if (count > WI_JPEG_BAND) count = WI_JPEG_BAND;
    for (JDIMENSION i = 0; i < count; i++) rows[i] = pixels + (size_t)(first + i) * stride;
    if (!s->inks) return jpeg_read_scanlines(info, rows, count);
    JSAMPROW inks = s->inks;
    count = jpeg_read_scanlines(info, &inks, 1);
    if (count == 1)
        wi_jpeg_cmyk_row(inks, rows[0], info->output_width, info->saw_Adobe_marker, s->job.bgra);
    return count;
}

static void advance(wi_jpeg_stream *s, const wi_flag *flag) {
    struct jpeg_decompress_struct *info = &s->info;
    if (s->stage == HEAD && read_head(s)) s->stage = START;
    if (s->stage == START && jpeg_start_decompress(info)) s->stage = info->buffered_image ? SCANS : ROWS;
    while (s->stage == ROWS && info->output_scanline < info->output_height) {
        poll(s, flag);
        if (read_rows(s, s->job.pixels, s->job.stride) == 0) return;
    }
    while (s->stage == SCANS && !jpeg_input_complete(info)) {
        poll(s, flag);
        if (jpeg_consume_input(info) == JPEG_SUSPENDED) return;
    }
}

wi_jpeg_status wi_jpeg_stream_feed(wi_jpeg_stream *s, const uint8_t *data, size_t size, const wi_flag *flag) {
    if (s->status != WI_JPEG_OK || size < s->offset) return s->status;
    if (setjmp(s->errors.escape)) {
        s->source.bytes_in_buffer = 0;
        return s->status = s->errors.status;
    }
    open_source(s, data, size);
    advance(s, flag);
    close_source(s, size);
    return WI_JPEG_OK;
}

bool wi_jpeg_stream_has_scans(const wi_jpeg_stream *s) { return s->stage == SCANS; }

uint32_t wi_jpeg_stream_rows(const wi_jpeg_stream *s) { return s->stage == ROWS ? s->info.output_scanline : 0; }

bool wi_jpeg_stream_is_complete(wi_jpeg_stream *s) {
    if (s->stage == SCANS) return jpeg_input_complete(&s->info);
    return s->stage == ROWS && s->info.output_scanline == s->info.output_height;
}

int wi_jpeg_stream_scans(wi_jpeg_stream *s) {
    if (s->stage != SCANS) return 0;
    return jpeg_input_complete(&s->info) ? s->info.input_scan_number : s->info.input_scan_number - 1;
}

static bool draw(wi_jpeg_stream *s, uint8_t *pixels, size_t stride, const wi_flag *flag) {
    struct jpeg_decompress_struct *info = &s->info;
    // Ending a picture takes the beginning of the scan behind it, which may not have been there.
    if (s->is_drawn && !jpeg_finish_output(info)) return false;
    s->is_drawn = false;
    if (!jpeg_start_output(info, wi_jpeg_stream_scans(s))) return false;
    while (info->output_scanline < info->output_height) {
        poll(s, flag);
        if (read_rows(s, pixels, stride) == 0) return false;
    }
    s->is_drawn = !jpeg_finish_output(info);
    return true;
}

wi_jpeg_status wi_jpeg_stream_draw(wi_jpeg_stream *s, uint8_t *pixels, size_t stride, const wi_flag *flag) {
    if (s->status != WI_JPEG_OK || wi_jpeg_stream_scans(s) < 1) return s->status;
    if (setjmp(s->errors.escape)) return s->status = s->errors.status;
    if (!draw(s, pixels, stride, flag)) return s->status = WI_JPEG_CORRUPT;
    return WI_JPEG_OK;
}
