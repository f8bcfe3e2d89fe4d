// SPDX-License-Identifier: MIT
// Kernels on pixels of four channels: turning, converting and resampling. Sizes were checked by who calls.
#ifndef WI_PIXEL_SHIM_H
#define WI_PIXEL_SHIM_H

#include "PixelConvert.h"
#include "PixelResample.h"

#endif
