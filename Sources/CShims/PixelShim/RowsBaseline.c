// SPDX-License-Identifier: MIT
#define WI_LOOPS wi_row_loops_baseline
#define WI_TARGET
#include "RowLoops.h"
