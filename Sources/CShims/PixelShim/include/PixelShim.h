// SPDX-License-Identifier: MIT
// Kernels on pixels of four channels: turning, converting, blurring and resampling. Sizes were checked by who calls.
#ifndef WI_PIXEL_SHIM_H
#define WI_PIXEL_SHIM_H

#include "PixelBlur.h"
#include "PixelConvert.h"
#include "PixelFloats.h"
#include "PixelResample.h"

#endif
