// SPDX-License-Identifier: MIT
#include "Common.h"

#include <stdlib.h>
#include <string.h>

enum { WI_FIRST_ROOM = 32 * 1024 };

/// What must outlive a jump: the compressor, the bytes written so far, and a row without transparency.
typedef struct encoder {
    struct jpeg_compress_struct info;
    wi_jpeg_errors errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr destination;
    const wi_jpeg_encode_job *job;
    uint8_t *row;
    uint8_t *bytes;
    size_t room;
} encoder;

// Also called in the second pass over the picture that progressive files and fitted tables need.
static void watch(j_common_ptr common) {
    encoder *e = (encoder *)common;
    if (e->job->flag && wi_flag_is_raised(e->job->flag)) wi_jpeg_leave(common, WI_JPEG_CANCELLED);
}

// The library's own memory destination loses its block when it is left by a jump; this one stays with the encoder.
static void begin_writing(j_compress_ptr info) {
    encoder *e = (encoder *)info;
    e->bytes = malloc(WI_FIRST_ROOM);
    if (!e->bytes) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_NO_MEMORY);
    e->room = WI_FIRST_ROOM;
    e->destination.next_output_byte = e->bytes;
    e->destination.free_in_buffer = e->room;
}

// By the library's rule the whole block is full here, whatever `free_in_buffer` says.
static boolean make_room(j_compress_ptr info) {
    encoder *e = (encoder *)info;
    uint8_t *larger = e->room <= SIZE_MAX / 2 ? realloc(e->bytes, e->room * 2) : NULL;
    if (!larger) wi_jpeg_leave((j_common_ptr)info, WI_JPEG_NO_MEMORY);
    e->bytes = larger;
    e->destination.next_output_byte = larger + e->room;
    e->destination.free_in_buffer = e->room;
    e->room *= 2;
    return TRUE;
}

static void end_writing(j_compress_ptr info) { (void)info; }

static inline uint32_t over_straight(uint32_t c, uint32_t b, uint32_t a) {
    return (c * a + b * (255 - a) + 127) / 255;
}

static void flatten_row(const wi_jpeg_encode_job *job, const uint8_t *from, uint8_t *to) {
    const size_t red = job->bgra ? 2 : 0;
    const uint8_t back[3] = {job->background[red], job->background[1], job->background[2 - red]};
    for (uint32_t x = 0; x < job->width; x++, from += 4, to += 4) {
        const uint32_t a = from[3];
        for (int c = 0; c < 3; c++) {
            uint32_t v = job->alpha == 1 ? over_straight(from[c], back[c], a)
                                         : from[c] + (back[c] * (255 - a) + 127) / 255;
            to[c] = (uint8_t)(v > 255 ? 255 : v);
        }
        to[3] = 255;
    }
}

static void set_parameters(encoder *e) {
    struct jpeg_compress_struct *info = &e->info;
    const wi_jpeg_encode_job *job = e->job;
    info->image_width = job->width;
    info->image_height = job->height;
    info->input_components = 4;
    info->in_color_space = job->bgra ? JCS_EXT_BGRX : JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, job->quality, TRUE);
    info->comp_info[0].h_samp_factor = job->horizontal;
    info->comp_info[0].v_samp_factor = job->vertical;
    info->optimize_coding = job->optimize;
    if (job->progressive) jpeg_simple_progression(info);
    if (job->density_x && job->density_y) {
        info->density_unit = 1;
        info->X_density = job->density_x;
        info->Y_density = job->density_y;
    }
}

static void set_destination(encoder *e) {
    e->destination.init_destination = begin_writing;
    e->destination.empty_output_buffer = make_room;
    e->destination.term_destination = end_writing;
    e->info.dest = &e->destination;
    e->progress.progress_monitor = watch;
    e->info.progress = &e->progress;
}

static void write_metadata(encoder *e) {
    struct jpeg_compress_struct *info = &e->info;
    const wi_jpeg_encode_job *job = e->job;
    if (job->exif_size) jpeg_write_marker(info, JPEG_APP0 + 1, job->exif, (unsigned)job->exif_size);
    if (job->xmp_size) jpeg_write_marker(info, JPEG_APP0 + 1, job->xmp, (unsigned)job->xmp_size);
    if (job->icc_size) jpeg_write_icc_profile(info, job->icc, (unsigned)job->icc_size);
}

static wi_jpeg_status run(encoder *e) {
    struct jpeg_compress_struct *info = &e->info;
    const wi_jpeg_encode_job *job = e->job;
    if (setjmp(e->errors.escape)) return e->errors.status;
    jpeg_create_compress(info);
    set_destination(e);
    set_parameters(e);
    jpeg_start_compress(info, TRUE);
    write_metadata(e);
    while (info->next_scanline < info->image_height) {
        const uint8_t *from = job->pixels + (size_t)info->next_scanline * job->stride;
        // The library's pointer is not const, but it only reads.
        JSAMPROW row = (JSAMPROW)(uintptr_t)from;
        if (e->row) {
            flatten_row(job, from, e->row);
            row = e->row;
        }
        jpeg_write_scanlines(info, &row, 1);
    }
    jpeg_finish_compress(info);
    return WI_JPEG_OK;
}

// Gives back what the block has too much; it stays as it is where that cannot be.
static void hand_over(encoder *e, uint8_t **bytes, size_t *size) {
    *size = e->room - e->destination.free_in_buffer;
    uint8_t *exact = realloc(e->bytes, *size);
    *bytes = exact ? exact : e->bytes;
    e->bytes = NULL;
}

wi_jpeg_status wi_jpeg_encode(const wi_jpeg_encode_job *job, uint8_t **bytes, size_t *size, wi_jpeg_report *report) {
    memset(report, 0, sizeof *report);
    encoder *e = calloc(1, sizeof *e);
    if (!e) return WI_JPEG_NO_MEMORY;
    e->job = job;
    e->info.err = wi_jpeg_catch(&e->errors, report);
    wi_jpeg_status status = WI_JPEG_NO_MEMORY;
    if (job->alpha == 0 || (e->row = malloc((size_t)job->width * 4)) != NULL) status = run(e);
    jpeg_destroy_compress(&e->info);
    if (status == WI_JPEG_OK) hand_over(e, bytes, size);
    free(e->bytes);
    free(e->row);
    free(e);
    return status;
}
