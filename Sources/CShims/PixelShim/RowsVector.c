// SPDX-License-Identifier: MIT
#if defined(__x86_64__)
#define WI_LOOPS wi_row_loops_avx2
#define WI_TARGET __attribute__((target("avx2")))
#include "RowLoops.h"
#else
// Elsewhere the baseline has the vectors that there are.
typedef int wi_rows_vector_is_empty;
#endif
