// SPDX-License-Identifier: MIT
#include "WebPShim.h"

#include <webp/encode.h>

static void set(int *field, int value) {
    if (value >= 0) *field = value;
}

static bool configure(const wi_webp_settings *settings, WebPConfig *config) {
    if (!WebPConfigPreset(config, (WebPPreset)settings->preset, settings->quality)) return false;
    config->lossless = settings->lossless;
    config->method = settings->method;
    config->image_hint = (WebPImageHint)settings->image_hint;
    config->target_size = settings->target_size;
    config->target_PSNR = settings->target_psnr;
    set(&config->segments, settings->segments);
    set(&config->sns_strength, settings->sns_strength);
    set(&config->filter_strength, settings->filter_strength);
    set(&config->filter_sharpness, settings->filter_sharpness);
    set(&config->filter_type, settings->filter_type);
    set(&config->preprocessing, settings->preprocessing);
    config->partitions = settings->partitions;
    config->partition_limit = settings->partition_limit;
    config->pass = settings->pass;
    config->alpha_compression = settings->alpha_compression;
    config->alpha_filtering = settings->alpha_filtering;
    config->alpha_quality = settings->alpha_quality;
    config->near_lossless = settings->near_lossless;
    config->qmin = settings->qmin;
    config->qmax = settings->qmax;
    config->autofilter = settings->autofilter;
    config->exact = settings->exact;
    config->use_sharp_yuv = settings->use_sharp_yuv;
    config->emulate_jpeg_size = settings->emulate_jpeg_size;
    config->thread_level = settings->thread_level;
    config->low_memory = settings->low_memory;
    return WebPValidateConfig(config) != 0;
}

// libwebp's question whether to go on.
static int goes_on(int percent, const WebPPicture *picture) {
    (void)percent;
    const wi_flag *flag = picture->user_data;
    return !(flag && wi_flag_is_raised(flag));
}

static int import(const wi_webp_encode_job *job, WebPPicture *picture) {
    const int stride = (int)job->stride;
    if (job->opaque) {
        return job->bgra ? WebPPictureImportBGRX(picture, job->pixels, stride)
                         : WebPPictureImportRGBX(picture, job->pixels, stride);
    }
    return job->bgra ? WebPPictureImportBGRA(picture, job->pixels, stride)
                     : WebPPictureImportRGBA(picture, job->pixels, stride);
}

static wi_webp_status status_of(WebPEncodingError error) {
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: return WI_WEBP_NO_MEMORY;
    case VP8_ENC_ERROR_USER_ABORT: return WI_WEBP_CANCELLED;
    default: return WI_WEBP_CORRUPT;
    }
}

wi_webp_status wi_webp_encode(const wi_webp_encode_job *job, uint8_t **bytes, size_t *size, int *reason) {
    *reason = 0;
    WebPConfig config;
    WebPPicture picture;
    if (!configure(&job->settings, &config) || !WebPPictureInit(&picture)) return WI_WEBP_UNSUPPORTED;
    picture.width = (int)job->width;
    picture.height = (int)job->height;
    // The careful conversions to YUV start from ARGB; the plain one is done while the pixels are taken over.
    picture.use_argb = config.lossless || config.use_sharp_yuv || config.preprocessing > 0;
    picture.progress_hook = goes_on;
    picture.user_data = (void *)job->flag;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    const bool done = import(job, &picture) && WebPEncode(&config, &picture);
    const WebPEncodingError error = picture.error_code;
    WebPPictureFree(&picture);
    if (done) {
        *bytes = writer.mem;
        *size = writer.size;
        return WI_WEBP_OK;
    }
    WebPMemoryWriterClear(&writer);
    *reason = (int)error;
    return status_of(error);
}

void wi_webp_free(void *bytes) { WebPFree(bytes); }
