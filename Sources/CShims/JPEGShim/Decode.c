// SPDX-License-Identifier: MIT
#include "Common.h"

#include <stdlib.h>
#include <string.h>

/// What must outlive a jump: the decompressor, its watch over the work, and a row of inks.
typedef struct decoder {
    struct jpeg_decompress_struct info;
    wi_jpeg_errors errors;
    struct jpeg_progress_mgr progress;
    const wi_jpeg_decode_job *job;
    wi_jpeg_report *report;
    uint8_t *inks;
    /// While all scans are read ahead: bytes that held a whole scan at least and gave no cause for complaint.
    size_t good;
    bool reading;
} decoder;

// Where the next marker or entropy-coded byte is to be read.
static size_t position(const struct jpeg_decompress_struct *info, size_t size) {
    size_t at = size - info->src->bytes_in_buffer;
    if (info->src->bytes_in_buffer > size) return 0;
    return info->unread_marker != 0 && at >= 2 ? at - 2 : at;
}

static bool has_sound_scan(const decoder *d) {
    if (d->report->damages > 0 || d->report->note[0] != 0 || d->report->ended) return false;
    return d->info.input_scan_number > 1 || d->info.input_iMCU_row >= d->info.total_iMCU_rows;
}

// Called for every row of blocks read and written, so also through the many scans of a progressive picture.
static void watch(j_common_ptr common) {
    decoder *d = (decoder *)common;
    if (d->info.input_scan_number > d->job->most_scans) wi_jpeg_leave(common, WI_JPEG_SCAN_LIMIT);
    if (d->job->flag && wi_flag_is_raised(d->job->flag)) wi_jpeg_leave(common, WI_JPEG_CANCELLED);
    if (d->reading && has_sound_scan(d)) d->good = position(&d->info, d->job->size);
}

void wi_jpeg_set_output(struct jpeg_decompress_struct *info, const wi_jpeg_decode_job *job) {
    info->scale_num = (unsigned)job->scale;
    info->scale_denom = 8;
    // Smooth chroma is not seen once the picture is reduced.
    info->do_fancy_upsampling = job->fancy && job->scale == 8;
    if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK) {
        info->out_color_space = JCS_CMYK;
    } else {
        info->out_color_space = job->bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA;
    }
}

// Whether every bit of every coefficient of a progressive picture has come.
static bool is_complete(const struct jpeg_decompress_struct *info) {
    if (!info->progressive_mode || !info->coef_bits) return false;
    for (int component = 0; component < info->num_components; component++) {
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[component][k] != 0) return false;
        }
    }
    return true;
}

// Data that end early cost pixels, unless only the end marker is missing.
static void judge_end(decoder *d, bool whole) {
    if (!d->report->ended || whole || d->report->damages > 0) return;
    d->report->damages = 1;
    strcpy(d->report->message, "Premature end of JPEG file");
}

static wi_jpeg_status begin(decoder *d, size_t size) {
    struct jpeg_decompress_struct *info = &d->info;
    if (setjmp(d->errors.escape)) return d->errors.status;
    jpeg_create_decompress(info);
    info->progress = &d->progress;
    d->progress.progress_monitor = watch;
    jpeg_mem_src(info, d->job->data, size);
    jpeg_read_header(info, TRUE);
    // Not even the end marker and a byte before it: nothing of the first scan is there.
    if (info->src->bytes_in_buffer < 3) return WI_JPEG_NO_DATA;
    wi_jpeg_set_output(info, d->job);
    jpeg_calc_output_dimensions(info);
    if (info->output_width != d->job->width || info->output_height != d->job->height) {
        strcpy(d->report->message, "The size changes within the file");
        return WI_JPEG_CORRUPT;
    }
    d->reading = true;
    jpeg_start_decompress(info);
    d->reading = false;
    // With several scans, all of them are read now; with one, a missing byte shows when the decoder wants it. The
    // arithmetic decoder never says that it lacked data.
    if (jpeg_has_multiple_scans(info)) {
        judge_end(d, is_complete(info) && !info->arith_code);
    }
    return WI_JPEG_OK;
}

// libjpeg gives up a file of several scans at the first bad marker. Sound scans before it are a picture: the file is
// read again up to there, and libjpeg takes the missing scans as it takes those of a cut file. Where more than one thing
// is wrong, the scans are noise as often as not, and the error stands.
static wi_jpeg_status begin_again(decoder *d) {
    size_t size = d->good;
    jpeg_destroy_decompress(&d->info);
    d->reading = false;
    d->report->damages = 1;
    const bool ended = d->report->ended;
    char message[sizeof d->report->message];
    memcpy(message, d->report->message, sizeof message);
    wi_jpeg_status status = begin(d, size);
    memcpy(d->report->message, message, sizeof message);
    d->report->ended = ended;
    return status;
}

// Where a row goes: its place in the picture, or in the band.
static uint8_t *place(const wi_jpeg_decode_job *job, uint32_t row, uint32_t first) {
    return job->pixels + (size_t)(job->take_rows ? row - first : row) * job->stride;
}

static JDIMENSION read_ink_row(decoder *d, JDIMENSION first) {
    struct jpeg_decompress_struct *info = &d->info;
    JSAMPROW row = d->inks;
    const JDIMENSION count = jpeg_read_scanlines(info, &row, 1);
    if (count == 1)
        wi_jpeg_cmyk_row(row, place(d->job, first, first), info->output_width, info->saw_Adobe_marker, d->job->bgra);
    return count;
}

static JDIMENSION read_pixel_rows(decoder *d, JDIMENSION first) {
    struct jpeg_decompress_struct *info = &d->info;
    JSAMPROW rows[WI_JPEG_BAND];
    JDIMENSION count = info->output_height - first;
    if (count > WI_JPEG_BAND) count = WI_JPEG_BAND;
    for (JDIMENSION i = 0; i < count; i++) rows[i] = place(d->job, first + i, first);
    return jpeg_read_scanlines(info, rows, count);
}

static wi_jpeg_status read_rows(decoder *d) {
    struct jpeg_decompress_struct *info = &d->info;
    if (info->out_color_space == JCS_CMYK) {
        d->inks = malloc((size_t)info->output_width * 4);
        if (!d->inks) return WI_JPEG_NO_MEMORY;
    }
    if (setjmp(d->errors.escape)) return d->errors.status;
    while (info->output_scanline < info->output_height) {
        const JDIMENSION first = info->output_scanline;
        const JDIMENSION count = d->inks ? read_ink_row(d, first) : read_pixel_rows(d, first);
        if (d->job->take_rows) d->job->take_rows(d->job->context, d->job->pixels, count);
    }
    // What follows the last row can no longer change a pixel, but tell that some are wrong.
    const bool has_one_scan = !jpeg_has_multiple_scans(info);
    if (d->job->strict) jpeg_finish_decompress(info);
    if (has_one_scan) judge_end(d, !info->arith_code);
    return WI_JPEG_OK;
}

static void fill_grey(const wi_jpeg_decode_job *job, uint32_t first) {
    for (uint32_t y = first; y < job->height; y++) {
        uint8_t *row = place(job, y, y);
        for (uint32_t x = 0; x < job->width; x++) {
            row[4 * x] = row[4 * x + 1] = row[4 * x + 2] = 128;
            row[4 * x + 3] = 255;
        }
        if (job->take_rows) job->take_rows(job->context, row, 1);
    }
}

static wi_jpeg_status run(decoder *d) {
    wi_jpeg_status status = begin(d, d->job->size);
    if (status == WI_JPEG_CORRUPT && d->good > 0 && has_sound_scan(d) && !d->job->strict) status = begin_again(d);
    if (status != WI_JPEG_OK) return status;
    status = read_rows(d);
    d->report->rows = d->info.output_scanline;
    if (status == WI_JPEG_CORRUPT && d->report->rows > 0 && !d->job->strict) {
        fill_grey(d->job, d->report->rows);
        d->report->damages++;
        status = WI_JPEG_OK;
    }
    return status;
}

wi_jpeg_status wi_jpeg_decode(const wi_jpeg_decode_job *job, wi_jpeg_report *report) {
    memset(report, 0, sizeof *report);
    decoder *d = calloc(1, sizeof *d);
    if (!d) return WI_JPEG_NO_MEMORY;
    d->job = job;
    d->report = report;
    d->info.err = wi_jpeg_catch(&d->errors, report);
    d->errors.strict = job->strict;
    wi_jpeg_status status = run(d);
    if (status == WI_JPEG_CORRUPT && report->ended) status = WI_JPEG_NO_DATA;
    jpeg_destroy_decompress(&d->info);
    free(d->inks);
    free(d);
    return status;
}
