// SPDX-License-Identifier: MIT
// libcurl, opened on first use: linking it, and the thirty libraries behind it, costs every start of a process 13 ms.
// Variadic calls are wrapped by the type of their argument.
#ifndef WI_CURL_SHIM_H
#define WI_CURL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURL_DISABLE_TYPECHECK 1
#if defined(__has_include)
#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing: apt-get install libcurl4-openssl-dev"
#endif
#endif
#include <curl/curl.h>

/// Opens libcurl and starts it, once; false when there is none. Safe from any thread.
bool wi_curl_open(void);
/// libcurl's own version, once it is open.
const char *wi_curl_version(void);

CURL *wi_easy_init(void);
void wi_easy_cleanup(CURL *easy);
void wi_easy_reset(CURL *easy);
CURLcode wi_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode wi_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode wi_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode wi_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
typedef size_t (*wi_curl_sink)(char *bytes, size_t size, size_t count, void *context);
/// Sets the functions that take headers and body, and their context.
void wi_easy_set_sinks(CURL *easy, wi_curl_sink headers, wi_curl_sink body, void *context);
CURLcode wi_easy_get_long(CURL *easy, CURLINFO info, long *value);
/// The URL that answered; NULL when none did. Valid until the next use of the handle.
const char *wi_easy_effective_url(CURL *easy);
void *wi_easy_context(CURL *easy);
CURLcode wi_easy_resume(CURL *easy);
const char *wi_easy_error(CURLcode code);

struct curl_slist *wi_list_append(struct curl_slist *list, const char *text);
void wi_list_free(struct curl_slist *list);

CURLM *wi_multi_init(void);
void wi_multi_cleanup(CURLM *multi);
CURLMcode wi_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode wi_multi_add(CURLM *multi, CURL *easy);
CURLMcode wi_multi_remove(CURLM *multi, CURL *easy);
CURLMcode wi_multi_perform(CURLM *multi);
CURLMcode wi_multi_poll(CURLM *multi, int milliseconds);
CURLMcode wi_multi_wakeup(CURLM *multi);
/// The next transfer that has ended; false when there is none.
bool wi_multi_next_done(CURLM *multi, CURL **easy, CURLcode *code);

#endif
