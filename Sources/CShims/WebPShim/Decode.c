// SPDX-License-Identifier: MIT
#include "WebPShim.h"

#include <webp/decode.h>

static wi_webp_status status_of(VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return WI_WEBP_OK;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return WI_WEBP_ENDED;
    case VP8_STATUS_OUT_OF_MEMORY: return WI_WEBP_NO_MEMORY;
    case VP8_STATUS_UNSUPPORTED_FEATURE: return WI_WEBP_UNSUPPORTED;
    default: return WI_WEBP_CORRUPT;
    }
}

static bool configure(const wi_webp_decode_job *job, WebPDecoderConfig *config) {
    if (!WebPInitDecoderConfig(config)) return false;
    config->options.use_threads = job->threads;
    config->options.use_scaling = job->scaled;
    config->options.scaled_width = (int)job->width;
    config->options.scaled_height = (int)job->height;
    if (job->premultiplied) {
        config->output.colorspace = job->bgra ? MODE_bgrA : MODE_rgbA;
    } else {
        config->output.colorspace = job->bgra ? MODE_BGRA : MODE_RGBA;
    }
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = job->pixels;
    config->output.u.RGBA.stride = (int)job->stride;
    config->output.u.RGBA.size = job->room;
    return true;
}

// The data are handed out step by step, so that the flag is looked at; libwebp goes on where it was.
static wi_webp_status feed(const wi_webp_decode_job *job, WebPIDecoder *decoder) {
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    size_t given = 0;
    while (given < job->size && code == VP8_STATUS_SUSPENDED) {
        if (job->flag && wi_flag_is_raised(job->flag)) return WI_WEBP_CANCELLED;
        given = job->size - given > job->step ? given + job->step : job->size;
        code = WebPIUpdate(decoder, job->data, given);
    }
    return status_of(code);
}

wi_webp_status wi_webp_decode(const wi_webp_decode_job *job, uint32_t *rows) {
    *rows = 0;
    WebPDecoderConfig config;
    if (!configure(job, &config)) return WI_WEBP_UNSUPPORTED;
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (!decoder) return WI_WEBP_NO_MEMORY;
    const wi_webp_status status = feed(job, decoder);
    int last = 0;
    if (WebPIDecGetRGB(decoder, &last, NULL, NULL, NULL) && last > 0) {
        *rows = (uint32_t)last > job->height ? job->height : (uint32_t)last;
    }
    WebPIDelete(decoder);
    return status;
}
