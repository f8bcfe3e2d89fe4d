// SPDX-License-Identifier: MIT
// libFuzzer's driver: SwiftPM renames `main`, so that the library's own is not taken.
#ifndef WI_FUZZ_SHIM_H
#define WI_FUZZ_SHIM_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

#endif
