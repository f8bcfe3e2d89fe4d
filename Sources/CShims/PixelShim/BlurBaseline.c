// SPDX-License-Identifier: MIT
#define WI_LOOPS wi_blur_loops_baseline
#define WI_TARGET
#include "BlurLoops.h"
