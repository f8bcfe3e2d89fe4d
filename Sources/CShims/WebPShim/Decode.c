// SPDX-License-Identifier: MIT
#include "WebPShim.h"

#include <stdlib.h>
#include <webp/decode.h>

struct wi_webp_stream {
    // libwebp keeps a pointer to it.
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    uint32_t height;
};

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

static bool configure(const wi_webp_target *target, WebPDecoderConfig *config) {
    if (!WebPInitDecoderConfig(config)) return false;
    config->options.use_threads = target->threads;
    config->options.use_scaling = target->scaled;
    config->options.scaled_width = (int)target->width;
    config->options.scaled_height = (int)target->height;
    if (target->premultiplied) {
        config->output.colorspace = target->bgra ? MODE_bgrA : MODE_rgbA;
    } else {
        config->output.colorspace = target->bgra ? MODE_BGRA : MODE_RGBA;
    }
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = target->pixels;
    config->output.u.RGBA.stride = (int)target->stride;
    config->output.u.RGBA.size = target->room;
    return true;
}

wi_webp_stream *wi_webp_stream_create(const wi_webp_target *target) {
    wi_webp_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->height = target->height;
    if (configure(target, &stream->config)) stream->decoder = WebPIDecode(NULL, 0, &stream->config);
    if (stream->decoder) return stream;
    free(stream);
    return NULL;
}

wi_webp_status wi_webp_stream_feed(wi_webp_stream *stream, const uint8_t *data, size_t size) {
    return status_of(WebPIUpdate(stream->decoder, data, size));
}

uint32_t wi_webp_stream_rows(const wi_webp_stream *stream) {
    int last = 0;
    if (!WebPIDecGetRGB(stream->decoder, &last, NULL, NULL, NULL) || last <= 0) return 0;
    return (uint32_t)last > stream->height ? stream->height : (uint32_t)last;
}

void wi_webp_stream_free(wi_webp_stream *stream) {
    if (!stream) return;
    WebPIDelete(stream->decoder);
    free(stream);
}

// The data are handed out step by step, so that the flag is looked at; libwebp goes on where it was.
static wi_webp_status feed_all(const wi_webp_decode_job *job, wi_webp_stream *stream) {
    wi_webp_status status = WI_WEBP_ENDED;
    size_t given = 0;
    while (given < job->size && status == WI_WEBP_ENDED) {
        if (job->flag && wi_flag_is_raised(job->flag)) return WI_WEBP_CANCELLED;
        given = job->size - given > job->step ? given + job->step : job->size;
        status = wi_webp_stream_feed(stream, job->data, given);
    }
    return status;
}

wi_webp_status wi_webp_decode(const wi_webp_decode_job *job, uint32_t *rows) {
    *rows = 0;
    wi_webp_stream *stream = wi_webp_stream_create(&job->target);
    if (!stream) return WI_WEBP_NO_MEMORY;
    const wi_webp_status status = feed_all(job, stream);
    *rows = wi_webp_stream_rows(stream);
    wi_webp_stream_free(stream);
    return status;
}
