// SPDX-License-Identifier: MIT
#include "RuntimeShim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { WI_HUGE_PAGE = 2 * 1024 * 1024 };

void *wi_pixels_allocate(size_t bytes) {
    void *memory = NULL;
    if (bytes < WI_HUGE_PAGE) {
        return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
    }
    if (posix_memalign(&memory, WI_HUGE_PAGE, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    // Advice only: where huge pages are off, nothing changes and nothing fails.
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void wi_thread_set_name(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    char shortened[16];
    strncpy(shortened, name, sizeof shortened - 1);
    shortened[sizeof shortened - 1] = 0;
    pthread_setname_np(pthread_self(), shortened);
#endif
}

void wi_thread_block_sigpipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#if defined(__linux__) && defined(SYS_renameat2)
// By number: older C libraries have no function for it, and do not name the flags.
enum { WI_RENAME_NOREPLACE = 1, WI_RENAME_EXCHANGE = 2 };

static int wi_rename(const char *from, const char *to, unsigned flags) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}
int wi_rename_exclusively(const char *from, const char *to) { return wi_rename(from, to, WI_RENAME_NOREPLACE); }
int wi_rename_exchange(const char *one, const char *other) { return wi_rename(one, other, WI_RENAME_EXCHANGE); }
#elif defined(__APPLE__)
int wi_rename_exclusively(const char *from, const char *to) { return renamex_np(from, to, RENAME_EXCL); }
int wi_rename_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }
#else
int wi_rename_exclusively(const char *from, const char *to) { (void)from; (void)to; errno = ENOSYS; return -1; }
int wi_rename_exchange(const char *one, const char *other) { (void)one; (void)other; errno = ENOSYS; return -1; }
#endif

int wi_open_quietly(const char *path) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
#ifdef O_NOATIME
    // Only the owner of a file may ask for that.
    int descriptor = open(path, flags | O_NOATIME);
    if (descriptor >= 0 || errno != EPERM) return descriptor;
#endif
    return open(path, flags);
}

int wi_sync_folder(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -1;
#ifdef __linux__
    int status = syncfs(descriptor);
#else
    int status = fsync(descriptor);
#endif
    int failure = errno;
    close(descriptor);
    errno = failure;
    return status;
}

void wi_release_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void wi_touch(int descriptor) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    (void)futimens(descriptor, times);
}

void *wi_map_shared(const char *path, size_t size) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return NULL;
    struct stat info;
    void *address = MAP_FAILED;
    // Blocks are taken now: a write into a hole of a full disk would be a signal, not an error.
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
        ((size_t)info.st_size >= size || posix_fallocate(descriptor, 0, (off_t)size) == 0)) {
        address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    }
    close(descriptor);
    return address == MAP_FAILED ? NULL : address;
}

void wi_unmap(void *address, size_t size) { munmap(address, size); }
