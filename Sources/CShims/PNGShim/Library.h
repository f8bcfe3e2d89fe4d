// SPDX-License-Identifier: MIT
// What both ways of reading with libpng set up.
#ifndef WI_PNG_LIBRARY_H
#define WI_PNG_LIBRARY_H

#include "Common.h"

#include <png.h>

/// Limits for a file whose size was judged before: what matters is what a chunk may unfold to. A wrong sum of the
/// unfolded data (Adler-32) is an error where it is checked, and the row before it is then lost.
void wi_png_set_limits(png_structp png, size_t most_chunk_bytes, bool checks_sum);
/// Pixels of this form.
void wi_png_set_output(png_structp png, wi_png_pixels format);
/// Ends with an error where `job` does not say what the header does, once the output is set and its effect read.
void wi_png_check_size(png_structp png, png_infop info, const wi_png_decode_job *job);
/// Keeps a message of the library.
void wi_png_note(wi_png_report *report, const char *message);
/// Whether libpng goes on after this warning, but the picture's data are not what was written.
bool wi_png_is_damage(const char *warning);

#endif
