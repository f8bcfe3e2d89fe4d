// SPDX-License-Identifier: MIT
#include "CurlShim.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define FUNCTIONS(X)                                                                                                   \
    X(curl_global_init)                                                                                                \
    X(curl_version)                                                                                                    \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_cleanup)                                                                                               \
    X(curl_easy_setopt)                                                                                                \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_pause)                                                                                                 \
    X(curl_easy_strerror)                                                                                              \
    X(curl_slist_append)                                                                                               \
    X(curl_slist_free_all)                                                                                             \
    X(curl_multi_init)                                                                                                 \
    X(curl_multi_cleanup)                                                                                              \
    X(curl_multi_setopt)                                                                                               \
    X(curl_multi_add_handle)                                                                                           \
    X(curl_multi_remove_handle)                                                                                        \
    X(curl_multi_perform)                                                                                              \
    X(curl_multi_poll)                                                                                                 \
    X(curl_multi_wakeup)                                                                                               \
    X(curl_multi_info_read)                                                                                            \
    X(curl_url)                                                                                                        \
    X(curl_url_cleanup)                                                                                                \
    X(curl_url_set)                                                                                                    \
    X(curl_url_get)                                                                                                    \
    X(curl_free)                                                                                                       \
    X(curl_share_init)                                                                                                 \
    X(curl_share_setopt)                                                                                               \
    X(curl_share_cleanup)

static struct {
#define POINTER(NAME) __typeof__(&NAME) NAME;
    FUNCTIONS(POINTER)
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
/// Why libcurl is not there; empty when it is.
static char failure[512] = "";

static void fail(const char *what, const char *detail) {
    snprintf(failure, sizeof failure, "%s%s", what, detail ? detail : "");
}

static void open_library(void) {
    static const char *const names[] = {
#ifdef __APPLE__
        "libcurl.4.dylib", "/usr/lib/libcurl.4.dylib",
#else
        "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
    };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail("", dlerror());
        return;
    }
#define LOOK_UP(NAME)                                                                                                  \
    *(void **)&curl.NAME = dlsym(library, #NAME);                                                                      \
    if (!curl.NAME) {                                                                                                  \
        fail("the library is older than 7.68; it lacks ", #NAME);                                                      \
        return;                                                                                                        \
    }
    FUNCTIONS(LOOK_UP)
    CURLcode code = curl.curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) fail("curl_global_init: ", curl.curl_easy_strerror(code));
}

const char *wi_curl_open(void) {
    pthread_once(&once, open_library);
    return failure[0] ? failure : NULL;
}

const char *wi_curl_version(void) { return curl.curl_version(); }

CURL *wi_easy_init(void) { return curl.curl_easy_init(); }
void wi_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup(easy); }
CURLcode wi_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl.curl_easy_setopt(easy, option, value);
}
CURLcode wi_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl.curl_easy_setopt(easy, option, value);
}
CURLcode wi_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode wi_easy_set_error_buffer(CURL *easy, char *buffer) {
    return curl.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

void wi_easy_set_sinks(CURL *easy, wi_curl_sink headers, wi_curl_sink body) {
    curl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, headers);
    curl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
}

void wi_easy_set_context(CURL *easy, void *context) {
    curl.curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl.curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl.curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl.curl_easy_setopt(easy, wi_curlopt_prereqdata, context);
}

void wi_easy_set_socket_gate(CURL *easy, wi_curl_socket_gate gate) {
    curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, gate);
}
bool wi_easy_set_request_gate(CURL *easy, wi_curl_request_gate gate) {
    return curl.curl_easy_setopt(easy, wi_curlopt_prereqfunction, gate) == CURLE_OK;
}
int wi_socket_address(const struct curl_sockaddr *address, void *bytes) {
    const void *from = NULL;
    int count = 0;
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        from = &((const struct sockaddr_in *)&address->addr)->sin_addr;
        count = 4;
    } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        from = &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr;
        count = 16;
    }
    if (from) memcpy(bytes, from, (size_t)count);
    return count;
}
curl_socket_t wi_open_socket(const struct curl_sockaddr *address) {
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    // Children of the process have no use for its connections.
    type |= SOCK_CLOEXEC;
#endif
    return socket(address->family, type, address->protocol);
}

CURLcode wi_easy_set_share(CURL *easy, CURLSH *share) { return curl.curl_easy_setopt(easy, CURLOPT_SHARE, share); }

CURLcode wi_easy_get_long(CURL *easy, CURLINFO info, long *value) { return curl.curl_easy_getinfo(easy, info, value); }

int64_t wi_easy_get_number(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl.curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *wi_easy_get_string(CURL *easy, CURLINFO info) {
    const char *text = NULL;
    return curl.curl_easy_getinfo(easy, info, &text) == CURLE_OK ? text : NULL;
}

void *wi_easy_context(CURL *easy) {
    void *context = NULL;
    return curl.curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context) == CURLE_OK ? context : NULL;
}

CURLcode wi_easy_resume(CURL *easy) { return curl.curl_easy_pause(easy, CURLPAUSE_CONT); }
const char *wi_easy_error(CURLcode code) { return curl.curl_easy_strerror(code); }

struct curl_slist *wi_list_append(struct curl_slist *list, const char *text) {
    return curl.curl_slist_append(list, text);
}
void wi_list_free(struct curl_slist *list) { curl.curl_slist_free_all(list); }

CURLSH *wi_share_new_cookies(void) {
    CURLSH *share = curl.curl_share_init();
    if (share && curl.curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK) {
        curl.curl_share_cleanup(share);
        return NULL;
    }
    return share;
}
void wi_share_free(CURLSH *share) {
    if (share) curl.curl_share_cleanup(share);
}

CURLU *wi_url_new(const char *text) {
    // Policies judge addresses before there is a loader, too.
    if (wi_curl_open() != NULL) return NULL;
    CURLU *url = curl.curl_url();
    if (url && curl.curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
        curl.curl_url_cleanup(url);
        return NULL;
    }
    return url;
}
void wi_url_free(CURLU *url) { curl.curl_url_cleanup(url); }
bool wi_url_resolve(CURLU *url, const char *location) {
    return curl.curl_url_set(url, CURLUPART_URL, location,
                             CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | wi_curlu_allow_space) == CURLUE_OK;
}
bool wi_url_set(CURLU *url, CURLUPart part, const char *text) {
    return curl.curl_url_set(url, part, text, 0) == CURLUE_OK;
}
char *wi_url_get(CURLU *url, CURLUPart part) {
    char *text = NULL;
    return curl.curl_url_get(url, part, &text, part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0) == CURLUE_OK ? text
                                                                                                            : NULL;
}
void wi_curl_free(char *text) { curl.curl_free(text); }

CURLM *wi_multi_init(void) { return curl.curl_multi_init(); }
void wi_multi_cleanup(CURLM *multi) { curl.curl_multi_cleanup(multi); }
CURLMcode wi_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl.curl_multi_setopt(multi, option, value);
}
CURLMcode wi_multi_add(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle(multi, easy); }
CURLMcode wi_multi_remove(CURLM *multi, CURL *easy) { return curl.curl_multi_remove_handle(multi, easy); }
CURLMcode wi_multi_perform(CURLM *multi) {
    int running;
    return curl.curl_multi_perform(multi, &running);
}
CURLMcode wi_multi_poll(CURLM *multi, int milliseconds) {
    return curl.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode wi_multi_wakeup(CURLM *multi) { return curl.curl_multi_wakeup(multi); }

bool wi_multi_next_done(CURLM *multi, CURL **easy, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl.curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *code = message->data.result;
        return true;
    }
    return false;
}
