// SPDX-License-Identifier: MIT
#if defined(__x86_64__)
#define WI_LOOPS wi_blur_loops_avx2
#define WI_TARGET __attribute__((target("avx2")))
#include "BlurLoops.h"
#else
// Elsewhere the baseline has the vectors that there are.
typedef int wi_blur_vector_is_empty;
#endif
