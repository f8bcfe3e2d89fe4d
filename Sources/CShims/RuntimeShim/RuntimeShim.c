// SPDX-License-Identifier: MIT
#include "RuntimeShim.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
