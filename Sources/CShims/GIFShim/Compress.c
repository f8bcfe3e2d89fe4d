// SPDX-License-Identifier: MIT
// The strings of the table are found by a hash of the string before and the index that follows.
#include "GIFShim.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODES = 4096,
    WIDEST = 12,
    SLOTS = 1 << 14,
    BLOCK = 255,
};

/// Codes become bits, the lowest first, and bytes become sub-blocks.
typedef struct writer {
    uint8_t *start, *block, *next;
    uint64_t bits;
    unsigned count;
} writer;

static inline void put_byte(writer *w, uint8_t byte) {
    *w->next++ = byte;
    if (w->next - w->block == BLOCK + 1) {
        *w->block = BLOCK;
        w->block = w->next++;
    }
}

static inline void put(writer *w, unsigned code, unsigned width) {
    w->bits |= (uint64_t)code << w->count;
    w->count += width;
    while (w->count >= 8) {
        put_byte(w, (uint8_t)w->bits);
        w->bits >>= 8;
        w->count -= 8;
    }
}

static void finish(writer *w) {
    if (w->count > 0) put_byte(w, (uint8_t)w->bits);
    const size_t length = (size_t)(w->next - w->block) - 1;
    *w->block = (uint8_t)length;
    if (length > 0) *w->next++ = 0;
}

/// Each slot: the round in which it was filled, the string before, the index behind, and the code.
typedef struct slot {
    uint32_t round, key;
    uint16_t code;
} slot;

static inline slot *find(slot *slots, uint32_t key, uint32_t round) {
    uint32_t at = key * 2654435769u >> 18;
    while (slots[at].round == round && slots[at].key != key) at = (at + 1) % SLOTS;
    return &slots[at];
}

static void compress(writer *w, slot *slots, const uint8_t *indices, size_t count, unsigned code_size) {
    const unsigned clear = 1u << code_size;
    unsigned next = clear + 2, width = code_size + 1;
    uint32_t round = 1;
    put(w, clear, width);
    uint32_t prefix = count > 0 ? indices[0] : clear + 1;
    for (size_t i = 1; i < count; i++) {
        const uint32_t key = prefix << 8 | indices[i];
        slot *found = find(slots, key, round);
        if (found->round == round) {
            prefix = found->code;
            continue;
        }
        put(w, prefix, width);
        prefix = indices[i];
        if (next < CODES) {
            // The reader enters this string one code later.
            *found = (slot){round, key, (uint16_t)next};
            if (next == 1u << width && width < WIDEST) width++;
            next++;
        } else {
            put(w, clear, width);
            round++;
            next = clear + 2;
            width = code_size + 1;
        }
    }
    put(w, prefix, width);
    if (count == 0) return;
    if (next == 1u << width && width < WIDEST) width++;
    put(w, clear + 1, width);
}

bool wi_gif_compress(const uint8_t *indices, size_t count, int code_size, uint8_t **bytes, size_t *size) {
    // A code of 12 bits for each index, one to clear for every 2,000 of them, a length for every 255 bytes.
    if (count > SIZE_MAX / 4) return false;
    uint8_t *target = malloc(count + count / 2 + count / 64 + 64);
    slot *slots = calloc(SLOTS, sizeof *slots);
    if (!target || !slots) {
        free(target);
        free(slots);
        return false;
    }
    target[0] = (uint8_t)code_size;
    writer w = {.start = target, .block = target + 1, .next = target + 2};
    compress(&w, slots, indices, count, (unsigned)code_size);
    finish(&w);
    free(slots);
    *bytes = target;
    *size = (size_t)(w.next - target);
    return true;
}
