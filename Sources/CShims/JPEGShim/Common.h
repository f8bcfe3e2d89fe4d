// SPDX-License-Identifier: MIT
#ifndef WI_JPEG_COMMON_H
#define WI_JPEG_COMMON_H

#include "JPEGShim.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>

/// The error manager with what a caught error leaves behind.
typedef struct wi_jpeg_errors {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    wi_jpeg_status status;
    wi_jpeg_report *report;
    bool strict;
} wi_jpeg_errors;

/// Fills in an error manager that prints nothing and never exits.
struct jpeg_error_mgr *wi_jpeg_catch(wi_jpeg_errors *errors, wi_jpeg_report *report);
/// Leaves the library with this status.
_Noreturn void wi_jpeg_leave(j_common_ptr info, wi_jpeg_status status);
/// Sets what comes out, before its size is calculated.
void wi_jpeg_set_output(struct jpeg_decompress_struct *info, const wi_jpeg_decode_job *job);
/// A row of four inks as a row of pixels.
void wi_jpeg_cmyk_row(const uint8_t *from, uint8_t *to, size_t width, bool inverted, bool bgra);

#endif
