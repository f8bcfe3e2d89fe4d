// SPDX-License-Identifier: MIT
// What Swift cannot say to the system itself: lock tags for ThreadSanitizer, an atomic flag that C loops poll,
// aligned memory with huge pages, memory in files, thread names, open flags.
#ifndef WI_RUNTIME_SHIM_H
#define WI_RUNTIME_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WI_HAS_TSAN 1
#endif
#endif

#ifdef WI_HAS_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
static inline void wi_tsan_acquire(void *address) { __tsan_acquire(address); }
static inline void wi_tsan_release(void *address) { __tsan_release(address); }
#else
static inline void wi_tsan_acquire(void *address) { (void)address; }
static inline void wi_tsan_release(void *address) { (void)address; }
#endif

/// A flag that one thread raises and others poll; never lowered.
typedef struct wi_flag {
    int32_t value;
} wi_flag;

static inline void wi_flag_raise(wi_flag *flag) { __atomic_store_n(&flag->value, 1, __ATOMIC_RELEASE); }
static inline bool wi_flag_is_raised(const wi_flag *flag) {
    return __atomic_load_n(&flag->value, __ATOMIC_ACQUIRE) != 0;
}

/// Memory for pixels and bodies: aligned to 64 bytes, or to 2 MiB with huge pages asked for when it is large. NULL when there
/// is none. Freed by `free`.
void *wi_pixels_allocate(size_t bytes);

/// Memory in a file without a name in `folder`, whose blocks on the disk are taken now; the system removes the file with
/// the memory, also when the process ends. NULL, with errno, when that cannot be.
void *wi_file_memory(const char *folder, size_t bytes);
void wi_file_memory_free(void *memory, size_t bytes);

/// Names the calling thread, for debuggers and `top` (15 bytes at most).
void wi_thread_set_name(const char *name);

/// Renames a file to a name that nothing has: fails with EEXIST where something does, and with EINVAL or ENOSYS where the file
/// system or the machine cannot do it in one step.
int wi_rename_exclusively(const char *from, const char *to);
/// Exchanges the names of two files in one step; fails likewise.
int wi_rename_exchange(const char *one, const char *other);

/// Opens a file for reading, never waiting, so that reading it leaves its time of last access where the system allows that.
/// Without `follows_links` it fails with ELOOP where the name is a link.
int wi_open_quietly(const char *path, int follows_links);

/// Returns when the file system that a folder is on has written everything. 0, or -1 with errno.
int wi_sync_folder(const char *path);

/// Sets an open file's time of last access to now; its other times stay.
void wi_touch(int descriptor);

/// Opens a file of `count` numbers, made with mode 0600 and grown where needed; no link, no pipe, and nobody else's.
/// -1 when that cannot be.
int wi_numbers_open(const char *path, size_t count);
void wi_numbers_close(int descriptor);

/// Keeps other processes from changing the number until it is unlocked, for a few seconds at most.
void wi_numbers_lock(int descriptor, size_t index);
void wi_numbers_unlock(int descriptor, size_t index);

/// Reads `count` numbers from `index` on; 0 for those that the file does not have.
void wi_numbers_read(int descriptor, size_t index, size_t count, int64_t *numbers);
bool wi_numbers_write(int descriptor, size_t index, int64_t number);

/// Hands memory that is free back to the system, where the C library can.
void wi_release_free_memory(void);

/// Blocks SIGPIPE for the calling thread: a write to a closed socket then fails with EPIPE.
void wi_thread_block_sigpipe(void);

#endif
