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

// Options that older headers do not name. The library that is opened may be newer or older than the headers; it refuses
// what it does not know.
static const CURLoption wi_curlopt_protocols_str = (CURLoption)10318;
static const CURLoption wi_curlopt_quick_exit = (CURLoption)322;
static const CURLoption wi_curlopt_prereqfunction = (CURLoption)20312;
static const CURLoption wi_curlopt_prereqdata = (CURLoption)10313;
static const unsigned wi_curlu_allow_space = 1 << 11;
#if LIBCURL_VERSION_NUM >= 0x075700
_Static_assert(CURLOPT_PROTOCOLS_STR == 10318, "libcurl's numbers are fixed");
_Static_assert(CURLOPT_QUICK_EXIT == 322, "libcurl's numbers are fixed");
_Static_assert(CURLOPT_PREREQFUNCTION == 20312, "libcurl's numbers are fixed");
_Static_assert(CURLOPT_PREREQDATA == 10313, "libcurl's numbers are fixed");
_Static_assert(CURLU_ALLOW_SPACE == 1 << 11, "libcurl's numbers are fixed");
#endif
_Static_assert(sizeof(curl_off_t) == 8, "curl_off_t has 64 bits");
/// `CURLPROTO_HTTP | CURLPROTO_HTTPS`, for libraries before 7.85.
static const long wi_curl_http_and_https = CURLPROTO_HTTP | CURLPROTO_HTTPS;
/// A macro that Swift does not see.
static const long wi_curl_digest = CURLAUTH_DIGEST;
/// Bytes of an error buffer.
enum { wi_curl_error_size = CURL_ERROR_SIZE };

/// Opens libcurl and starts it, once; NULL when it is there, or else why it is not. Safe from any thread.
const char *wi_curl_open(void);
/// libcurl's own version, once it is open.
const char *wi_curl_version(void);

CURL *wi_easy_init(void);
void wi_easy_cleanup(CURL *easy);
CURLcode wi_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode wi_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode wi_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// `buffer` has `wi_curl_error_size` bytes and lives as long as the transfer.
CURLcode wi_easy_set_error_buffer(CURL *easy, char *buffer);
typedef size_t (*wi_curl_sink)(char *bytes, size_t size, size_t count, void *context);
/// Sets the functions that take headers and body.
void wi_easy_set_sinks(CURL *easy, wi_curl_sink headers, wi_curl_sink body);
/// Gives the socket for an address, or `CURL_SOCKET_BAD` for one that must not be reached.
typedef curl_socket_t (*wi_curl_socket_gate)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
/// Asked before each request, on a new connection or an old one: 0 goes on, 1 does not.
typedef int (*wi_curl_request_gate)(void *context, char *address, char *local, int port, int local_port);
void wi_easy_set_socket_gate(CURL *easy, wi_curl_socket_gate gate);
/// False where the library does not know it (before 7.80).
bool wi_easy_set_request_gate(CURL *easy, wi_curl_request_gate gate);
/// Writes the 4 or 16 bytes of an IP address and gives their count; 0 for an address of another kind.
int wi_socket_address(const struct curl_sockaddr *address, void *bytes);
/// Opens the socket that libcurl asks for.
curl_socket_t wi_open_socket(const struct curl_sockaddr *address);
CURLcode wi_easy_set_share(CURL *easy, CURLSH *share);
/// Sets what those functions are given, and what `wi_easy_context` gives back.
void wi_easy_set_context(CURL *easy, void *context);
CURLcode wi_easy_get_long(CURL *easy, CURLINFO info, long *value);
/// An `OFF_T` of `curl_easy_getinfo`, 0 where the library does not know it.
int64_t wi_easy_get_number(CURL *easy, CURLINFO info);
/// NULL where there is none. Valid until the next use of the handle.
const char *wi_easy_get_string(CURL *easy, CURLINFO info);
void *wi_easy_context(CURL *easy);
CURLcode wi_easy_resume(CURL *easy);
const char *wi_easy_error(CURLcode code);

/// The list with `text` added; NULL, and the list as it was, when there is no memory.
struct curl_slist *wi_list_append(struct curl_slist *list, const char *text);
void wi_list_free(struct curl_slist *list);

/// A jar of cookies for several handles of one thread; NULL when there is no memory.
CURLSH *wi_share_new_cookies(void);
void wi_share_free(CURLSH *share);

/// A URL as libcurl reads it; NULL for what is none, or no memory.
CURLU *wi_url_new(const char *text);
void wi_url_free(CURLU *url);
/// Makes it what `location` means there; false, and the URL may be anything, where that is none.
bool wi_url_resolve(CURLU *url, const char *location);
bool wi_url_set(CURLU *url, CURLUPart part, const char *text);
/// A part, the port also where it is the scheme's own; NULL where there is none. `wi_curl_free` frees it.
char *wi_url_get(CURLU *url, CURLUPart part);
void wi_curl_free(char *text);

CURLM *wi_multi_init(void);
void wi_multi_cleanup(CURLM *multi);
CURLMcode wi_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode wi_multi_add(CURLM *multi, CURL *easy);
CURLMcode wi_multi_remove(CURLM *multi, CURL *easy);
CURLMcode wi_multi_perform(CURLM *multi);
CURLMcode wi_multi_poll(CURLM *multi, int milliseconds);
/// The only call on a multi handle that other threads may make.
CURLMcode wi_multi_wakeup(CURLM *multi);
/// The next transfer that has ended; false when there is none.
bool wi_multi_next_done(CURLM *multi, CURL **easy, CURLcode *code);

#endif
