// SPDX-License-Identifier: MIT
#include "ColorShim.h"

#include <lcms2.h>
#include <stdlib.h>

struct wi_color {
    cmsHTRANSFORM transform;
};

/// The library has an error handler for each context; without one it says nothing.
static cmsHTRANSFORM transform(cmsHPROFILE profile, int bits, bool swaps) {
    cmsHPROFILE target = cmsCreate_sRGBProfile();
    if (!target) {
        return NULL;
    }
    cmsUInt32Number format = bits == 16 ? TYPE_RGBA_16 : swaps ? TYPE_BGRA_8 : TYPE_RGBA_8;
    // Without a cache of the last pixel, nothing of the transform is written while it runs.
    cmsHTRANSFORM made = cmsCreateTransform(
        profile, format, target, format, INTENT_PERCEPTUAL, cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE);
    cmsCloseProfile(target);
    return made;
}

wi_color_result wi_color_create(const uint8_t *bytes, size_t count, int bits, bool swaps, wi_color **color) {
    *color = NULL;
    cmsHPROFILE profile = count > UINT32_MAX ? NULL : cmsOpenProfileFromMem(bytes, (cmsUInt32Number)count);
    if (!profile) {
        return WI_COLOR_UNREADABLE;
    }
    wi_color_result result = WI_COLOR_OTHER_SPACE;
    if (cmsGetColorSpace(profile) == cmsSigRgbData) {
        cmsHTRANSFORM made = transform(profile, bits, swaps);
        wi_color *holder = made ? malloc(sizeof(wi_color)) : NULL;
        if (holder) {
            holder->transform = made;
            *color = holder;
        } else if (made) {
            cmsDeleteTransform(made);
        }
        result = holder ? WI_COLOR_DONE : WI_COLOR_UNREADABLE;
    }
    cmsCloseProfile(profile);
    return result;
}

void wi_color_free(wi_color *color) {
    if (color) {
        cmsDeleteTransform(color->transform);
        free(color);
    }
}

void wi_color_run(const wi_color *color, const uint8_t *source, uint8_t *target, size_t pixels) {
    cmsDoTransform(color->transform, source, target, (cmsUInt32Number)pixels);
}
