// SPDX-License-Identifier: MIT
#include "GIFReferenceShim.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

struct wi_gif_reference {
    const uint8_t *data;
    size_t size, offset;
    GifFileType *file;
};

static int read_bytes(GifFileType *file, GifByteType *target, int count) {
    wi_gif_reference *reference = file->UserData;
    const size_t there = reference->size - reference->offset;
    const size_t taken = (size_t)count < there ? (size_t)count : there;
    memcpy(target, reference->data + reference->offset, taken);
    reference->offset += taken;
    return (int)taken;
}

wi_gif_reference *wi_gif_reference_open(const uint8_t *data, size_t size) {
    wi_gif_reference *reference = calloc(1, sizeof *reference);
    if (!reference) return NULL;
    reference->data = data;
    reference->size = size;
    reference->file = DGifOpen(reference, read_bytes, NULL);
    if (reference->file) return reference;
    free(reference);
    return NULL;
}

void wi_gif_reference_close(wi_gif_reference *reference) {
    DGifCloseFile(reference->file, NULL);
    free(reference);
}

bool wi_gif_reference_next(wi_gif_reference *reference, uint32_t *width, uint32_t *height) {
    GifRecordType type;
    while (DGifGetRecordType(reference->file, &type) == GIF_OK) {
        if (type == IMAGE_DESC_RECORD_TYPE) {
            if (DGifGetImageHeader(reference->file) != GIF_OK) return false;
            *width = (uint32_t)reference->file->Image.Width;
            *height = (uint32_t)reference->file->Image.Height;
            return true;
        }
        if (type != EXTENSION_RECORD_TYPE) return false;
        int label;
        GifByteType *block = NULL;
        if (DGifGetExtension(reference->file, &label, &block) != GIF_OK) return false;
        while (block)
            if (DGifGetExtensionNext(reference->file, &block) != GIF_OK) return false;
    }
    return false;
}

bool wi_gif_reference_read(wi_gif_reference *reference, uint8_t *indices, uint32_t count) {
    return DGifGetLine(reference->file, indices, (int)count) == GIF_OK;
}
