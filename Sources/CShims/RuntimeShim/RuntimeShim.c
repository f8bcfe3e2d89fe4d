// SPDX-License-Identifier: MIT
#include "RuntimeShim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
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

static int open_nameless(const char *folder) {
#ifdef O_TMPFILE
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
#endif
    char path[4096];
    if (snprintf(path, sizeof path, "%s/.body-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int named = mkstemp(path);
    if (named >= 0) {
        (void)fcntl(named, F_SETFD, FD_CLOEXEC);
        (void)unlink(path);
    }
    return named;
}

void *wi_file_memory(const char *folder, size_t bytes) {
    int descriptor = open_nameless(folder);
    if (descriptor < 0) return NULL;
    void *memory = MAP_FAILED;
    // Without its blocks a full disk would be a SIGBUS later.
    int failure = posix_fallocate(descriptor, 0, (off_t)bytes);
    if (failure == 0) {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        failure = errno;
    }
    close(descriptor);
    if (memory != MAP_FAILED) return memory;
    errno = failure;
    return NULL;
}

void wi_file_memory_free(void *memory, size_t bytes) { (void)munmap(memory, bytes); }

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

int wi_open_quietly(const char *path, int follows_links) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follows_links ? 0 : O_NOFOLLOW);
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

int wi_numbers_open(const char *path, size_t count) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (descriptor < 0) return -1;
    const off_t size = (off_t)(count * sizeof(int64_t));
    struct stat info;
    // Blocks are taken now: on a full disk no number can be lost later.
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == geteuid() &&
        (info.st_size >= size || posix_fallocate(descriptor, 0, size) == 0)) {
        return descriptor;
    }
    close(descriptor);
    return -1;
}

void wi_numbers_close(int descriptor) { close(descriptor); }

#ifdef F_OFD_SETLK
enum { WI_SET_LOCK = F_OFD_SETLK };
#else
enum { WI_SET_LOCK = F_SETLK };
#endif

static int set_lock(int descriptor, size_t index, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    lock.l_start = (off_t)(index * sizeof(int64_t));
    lock.l_len = sizeof(int64_t);
    return fcntl(descriptor, WI_SET_LOCK, &lock);
}

void wi_numbers_lock(int descriptor, size_t index) {
    // Held for two system calls by others. A process that was stopped meanwhile must not stop this one: after a while the
    // number is changed all the same, and may be wrong until it is counted anew.
    for (int attempt = 0; attempt < 2000; attempt++) {
        if (set_lock(descriptor, index, F_WRLCK) == 0 || (errno != EAGAIN && errno != EACCES && errno != EINTR)) return;
        if (attempt < 100) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

void wi_numbers_unlock(int descriptor, size_t index) { (void)set_lock(descriptor, index, F_UNLCK); }

void wi_numbers_read(int descriptor, size_t index, size_t count, int64_t *numbers) {
    const size_t size = count * sizeof *numbers;
    const ssize_t got = pread(descriptor, numbers, size, (off_t)(index * sizeof *numbers));
    const size_t whole = got > 0 ? (size_t)got : 0;
    memset((char *)numbers + whole, 0, size - whole);
}

bool wi_numbers_write(int descriptor, size_t index, int64_t number) {
    return pwrite(descriptor, &number, sizeof number, (off_t)(index * sizeof number)) == (ssize_t)sizeof number;
}
