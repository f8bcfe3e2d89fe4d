// SPDX-License-Identifier: MIT
// A string of the table is the string before it and the byte that follows, which lie side by side in what is
// already expanded: an entry is a position and a length there, and each code becomes one short copy.
#include "GIFShim.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODES = 4096,
    WIDEST = 12,
    /// Larger ones leave no room for the two special codes.
    LARGEST_CODE_SIZE = 11,
    /// The bytes 0 to 255, in front of what is expanded: the strings of one pixel.
    ALPHABET = 256,
    /// Copies go by so many bytes and may write over the end.
    CHUNK = 16,
    /// The strings of a table lie within so many bytes: each is at most one longer than the one before.
    LONGEST_HISTORY = CODES * (CODES / 2),
    /// Beyond this many pixels the buffer does not grow; what the table no longer needs is dropped.
    MOST_HELD = 2 * LONGEST_HISTORY,
};

/// Bits of the blocks from `next` on, the first one lowest.
typedef struct bit_reader {
    const uint8_t *next, *block_end, *end;
    uint64_t bits;
    unsigned count;
    /// Bytes of the block that were not there yet.
    size_t lacking;
} bit_reader;

typedef struct table {
    /// The next entry, and the bits of a code.
    unsigned next, width;
    /// Where the string of the code before was written; no code before when the length is 0.
    size_t previous, previous_length;
    /// The first byte that the entries need, and, once the table is full, the end of what they need.
    size_t history, history_end;
} table;

struct wi_gif_lzw {
    uint32_t position[CODES];
    uint16_t length[CODES];
    uint8_t *buffer;
    size_t capacity;
    /// The end of what is expanded, and the first byte not handed out.
    size_t used, handed;
    /// Pixels that are still to come, and of a row.
    uint64_t left;
    size_t row;
    unsigned clear;
    bit_reader reader;
    table table;
    wi_gif_state state;
    /// The file, and whether it still grows.
    const uint8_t *data;
    bool growing;
};

wi_gif_lzw *wi_gif_lzw_create(void) { return calloc(1, sizeof(wi_gif_lzw)); }

void wi_gif_lzw_free(wi_gif_lzw *lzw) {
    if (lzw) free(lzw->buffer);
    free(lzw);
}

static size_t capacity_for(uint64_t pixels) {
    return ALPHABET + (size_t)(pixels < MOST_HELD ? pixels : MOST_HELD) + CODES + CHUNK;
}

size_t wi_gif_lzw_size(uint64_t pixels) { return sizeof(wi_gif_lzw) + capacity_for(pixels); }

static table empty_table(unsigned clear, size_t used) {
    return (table){.next = clear + 2, .width = (unsigned)__builtin_ctz(clear) + 1, .history = used};
}

bool wi_gif_lzw_begin(wi_gif_lzw *lzw, const uint8_t *data, size_t size, size_t offset, uint32_t width,
                      uint32_t height, bool growing) {
    const uint64_t pixels = (uint64_t)width * height;
    const size_t capacity = capacity_for(pixels);
    if (lzw->capacity < capacity) {
        free(lzw->buffer);
        lzw->capacity = 0;
        lzw->buffer = malloc(capacity);
        if (!lzw->buffer) return false;
        lzw->capacity = capacity;
        for (int i = 0; i < ALPHABET; i++) lzw->buffer[i] = (uint8_t)i;
    }
    lzw->used = lzw->handed = ALPHABET;
    lzw->left = pixels;
    lzw->row = width;
    lzw->state = pixels == 0 ? WI_GIF_DONE : WI_GIF_MORE;
    lzw->clear = 4;
    lzw->data = data;
    lzw->growing = growing;
    if (offset >= size) {
        if (pixels > 0) lzw->state = WI_GIF_CUT;
    } else if (data[offset] == 0 || data[offset] > LARGEST_CODE_SIZE) {
        lzw->state = WI_GIF_DAMAGED;
    } else {
        const uint8_t *blocks = data + offset + 1;
        lzw->reader = (bit_reader){.next = blocks, .block_end = blocks, .end = data + size};
        lzw->clear = 1u << data[offset];
    }
    for (unsigned code = 0; code < lzw->clear; code++) {
        // Pixels have eight bits, whatever the code size.
        lzw->position[code] = code % ALPHABET;
        lzw->length[code] = 1;
    }
    lzw->table = empty_table(lzw->clear, lzw->used);
    return true;
}

/// Drops what is handed out and what the table does not need, so that more fits behind.
static void compact(wi_gif_lzw *lzw) {
    table *t = &lzw->table;
    size_t from = t->history, cut_at = lzw->used, cut = 0;
    if (t->history_end && lzw->handed > t->history_end) {
        // Between the table's strings and what is not handed out, nothing is needed.
        cut_at = t->history_end;
        cut = lzw->handed - t->history_end;
    } else if (lzw->handed < from) {
        from = lzw->handed;
    }
    const size_t shift = from - ALPHABET, first = cut_at - from;
    uint8_t *target = lzw->buffer + ALPHABET;
    memmove(target, lzw->buffer + from, first);
    memmove(target + first, lzw->buffer + cut_at + cut, lzw->used - cut_at - cut);
    for (unsigned code = lzw->clear + 2; code < t->next; code++) lzw->position[code] -= (uint32_t)shift;
    // Nothing is cut out while the table grows, so that the string before moves with the rest.
    t->previous -= shift;
    t->history -= shift;
    if (t->history_end) t->history_end -= shift;
    lzw->handed -= shift + cut;
    lzw->used -= shift + cut;
}

/// Reads bytes across the borders of blocks, until there are enough bits for any code or the data end.
static bit_reader fill_slowly(bit_reader reader) {
    while (reader.count <= 56) {
        if (reader.next == reader.block_end) {
            if (reader.next == reader.end) break;
            const size_t length = *reader.next;
            // The terminator is left in its place, to be met again.
            if (length == 0) break;
            reader.next++;
            const size_t there = (size_t)(reader.end - reader.next);
            reader.block_end = reader.next + (length < there ? length : there);
            reader.lacking = length < there ? 0 : length - there;
            continue;
        }
        reader.bits |= (uint64_t)*reader.next++ << reader.count;
        reader.count += 8;
    }
    return reader;
}

/// Whether there are bits for a code of `width` bits.
static inline bool fill(bit_reader *reader, unsigned width) {
    if (reader->count >= width) return true;
    if (reader->block_end - reader->next < 8) {
        *reader = fill_slowly(*reader);
        return reader->count >= width;
    }
    uint64_t bytes;
    memcpy(&bytes, reader->next, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    // Bits above the count are those of the bytes that are read next, and so the same when they come again.
    reader->bits |= bytes << reader->count;
    reader->next += (63 - reader->count) >> 3;
    reader->count |= 56;
    return true;
}

static inline unsigned take(bit_reader *reader, unsigned width) {
    const unsigned code = (unsigned)reader->bits & ((1u << width) - 1);
    reader->bits >>= width;
    reader->count -= width;
    return code;
}

/// Writes `length` bytes from `source`, which begins before `target`, and up to 15 bytes of anything behind.
static inline void copy(uint8_t *target, const uint8_t *source, size_t length) {
    uint8_t chunk[CHUNK];
    for (size_t done = 0; done < length; done += CHUNK) {
        memcpy(chunk, source + done, CHUNK);
        memcpy(target + done, chunk, CHUNK);
    }
}

/// Enters the string before `used` and the byte that comes there.
static inline void enter(wi_gif_lzw *lzw, table *t, size_t used, size_t length) {
    if (t->previous_length > 0 && t->next < CODES) {
        lzw->position[t->next] = (uint32_t)t->previous;
        lzw->length[t->next] = (uint16_t)(t->previous_length + 1);
        t->next++;
        if (t->next == CODES) t->history_end = used + length;
    }
    // At a code size of 1 the first code already makes it wider, which enters nothing.
    if (t->next == 1u << t->width && t->width < WIDEST) t->width++;
    t->previous = used;
    t->previous_length = length;
}

/// Where the string of `code` lies; false when the code cannot be.
static inline bool find(const wi_gif_lzw *lzw, const table *t, unsigned code, size_t used, size_t *source,
                        size_t *length) {
    if (code < t->next) {
        *source = lzw->position[code];
        *length = lzw->length[code];
        return true;
    }
    if (code > t->next || t->previous_length == 0) return false;
    // The string before and its own first byte.
    *source = t->previous;
    *length = t->previous_length + 1;
    lzw->buffer[used] = lzw->buffer[t->previous];
    return true;
}

/// Expands codes until `stop` is reached, or nothing comes any more. The buffer has room for `stop`, the
/// longest string and a chunk.
static wi_gif_state expand(wi_gif_lzw *lzw, const size_t stop) {
    // Copies, which no byte written to the buffer can change.
    uint8_t *const buffer = lzw->buffer;
    bit_reader reader = lzw->reader;
    table t = lzw->table;
    const unsigned clear = lzw->clear;
    size_t used = lzw->used;
    const size_t last = lzw->left > SIZE_MAX - used ? SIZE_MAX : used + (size_t)lzw->left;
    wi_gif_state state = WI_GIF_MORE;
    while (used < stop) {
        if (!fill(&reader, t.width)) {
            state = reader.next == reader.end ? WI_GIF_CUT : WI_GIF_SHORT;
            break;
        }
        const unsigned code = take(&reader, t.width);
        if ((code & ~1u) == clear) {
            if (code != clear) {
                state = WI_GIF_SHORT;
                break;
            }
            t = empty_table(clear, used);
            continue;
        }
        size_t source, length;
        if (!find(lzw, &t, code, used, &source, &length)) {
            state = WI_GIF_DAMAGED;
            break;
        }
        if (length > last - used) length = last - used;
        copy(buffer + used, buffer + source, length);
        enter(lzw, &t, used, length);
        used += length;
        if (used == last) {
            state = WI_GIF_DONE;
            break;
        }
    }
    lzw->left = last - used;
    lzw->used = used;
    lzw->reader = reader;
    lzw->table = t;
    return state;
}

void wi_gif_lzw_extend(wi_gif_lzw *lzw, const uint8_t *data, size_t size) {
    bit_reader *const r = &lzw->reader;
    if (lzw->state != WI_GIF_MORE && lzw->state != WI_GIF_CUT) return;
    // Both lie in the file as it was, which may be gone.
    const size_t next = (uintptr_t)r->next - (uintptr_t)lzw->data;
    const size_t block_end = (uintptr_t)r->block_end - (uintptr_t)lzw->data;
    const size_t more = r->lacking < size - block_end ? r->lacking : size - block_end;
    r->next = data + next;
    r->block_end = data + block_end + more;
    r->lacking -= more;
    r->end = data + size;
    lzw->data = data;
    lzw->state = WI_GIF_MORE;
}

wi_gif_state wi_gif_lzw_next(wi_gif_lzw *lzw, size_t rows, const uint8_t **indices, size_t *count) {
    const size_t row = lzw->row ? lzw->row : 1;
    const size_t most = MOST_HELD / 4;
    size_t wanted = rows > most / row ? most / row : rows;
    wanted = (wanted ? wanted : 1) * row;
    if (lzw->state == WI_GIF_MORE) {
        const uint64_t coming = lzw->left < wanted ? lzw->left : wanted;
        if (lzw->capacity - lzw->used < coming + CODES + CHUNK) compact(lzw);
        lzw->state = expand(lzw, lzw->handed + wanted);
    }
    *indices = lzw->buffer + lzw->handed;
    *count = lzw->used - lzw->handed;
    const bool comes_more = lzw->state == WI_GIF_MORE || (lzw->state == WI_GIF_CUT && lzw->growing);
    if (comes_more) *count -= *count % row;
    lzw->handed += *count;
    return lzw->state;
}
