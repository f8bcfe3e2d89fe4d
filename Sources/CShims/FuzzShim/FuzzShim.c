// SPDX-License-Identifier: MIT
#include "FuzzShim.h"
