// SPDX-License-Identifier: MIT
// giflib's own expansion of picture data, for tests that compare ours with it.
#ifndef WI_GIF_REFERENCE_SHIM_H
#define WI_GIF_REFERENCE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wi_gif_reference wi_gif_reference;

/// NULL when giflib refuses the file. The data must stay where they are.
wi_gif_reference *wi_gif_reference_open(const uint8_t *data, size_t size);
void wi_gif_reference_close(wi_gif_reference *reference);

/// Goes to the next frame; false at the end, or where giflib refuses to go on.
bool wi_gif_reference_next(wi_gif_reference *reference, uint32_t *width, uint32_t *height);
/// The frame's next `count` indices, in the order of the file; false where giflib refuses them.
bool wi_gif_reference_read(wi_gif_reference *reference, uint8_t *indices, uint32_t count);

#endif
