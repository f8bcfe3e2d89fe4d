// SPDX-License-Identifier: MIT
#include "Common.h"

#include <string.h>

_Noreturn void wi_jpeg_leave(j_common_ptr info, wi_jpeg_status status) {
    wi_jpeg_errors *errors = (wi_jpeg_errors *)info->err;
    errors->status = status;
    longjmp(errors->escape, 1);
}

static void say(j_common_ptr info, char *into, size_t room) {
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    size_t length = strnlen(text, room - 1);
    memcpy(into, text, length);
    into[length] = 0;
}

static void say_message(j_common_ptr info) {
    wi_jpeg_report *report = ((wi_jpeg_errors *)info->err)->report;
    say(info, report->message, sizeof report->message);
}

_Noreturn static void error_exit(j_common_ptr info) {
    say_message(info);
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY: wi_jpeg_leave(info, WI_JPEG_NO_MEMORY);
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
    case JERR_CCIR601_NOTIMPL: wi_jpeg_leave(info, WI_JPEG_UNSUPPORTED);
    case JERR_NO_IMAGE:
    case JERR_INPUT_EMPTY: wi_jpeg_leave(info, WI_JPEG_NO_DATA);
    default: wi_jpeg_leave(info, WI_JPEG_CORRUPT);
    }
}

static void emit_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    const wi_jpeg_errors *errors = (const wi_jpeg_errors *)info->err;
    wi_jpeg_report *report = errors->report;
    info->err->num_warnings++;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_ARITH_BAD_CODE:
        if (report->damages++ == 0) say_message(info);
        break;
    case JWRN_EXTRANEOUS_DATA:
        // Behind a scan they are data that were not decoded: some bit before them is wrong.
        if (errors->strict && info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > 0) {
            if (report->damages++ == 0) say_message(info);
        } else if (report->note[0] == 0) {
            say(info, report->note, sizeof report->note);
        }
        break;
    case JWRN_JPEG_EOF:
        // Whether pixels are missing, or only the end marker, is found out later.
        report->ended = true;
        break;
    default:
        if (report->note[0] == 0) say(info, report->note, sizeof report->note);
        break;
    }
}

static void output_message(j_common_ptr info) { (void)info; }

struct jpeg_error_mgr *wi_jpeg_catch(wi_jpeg_errors *errors, wi_jpeg_report *report) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = error_exit;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_message;
    errors->status = WI_JPEG_OK;
    errors->report = report;
    return &errors->base;
}

long wi_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
    return LIBJPEG_TURBO_VERSION_NUMBER;
#else
    return JPEG_LIB_VERSION;
#endif
}
