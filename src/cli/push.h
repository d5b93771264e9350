/*
 * Sending a profile to a server of continuous profiles, as pprof by HTTP. `tare export` and curl do
 * the work, as processes: curl knows proxies, certificates and, from ~/.curlrc, who the user is. It
 * reads ~/.netrc only where ~/.curlrc says so.
 *
 * - Pyroscope: POST /ingest, see
 *   https://grafana.com/docs/pyroscope/latest/configure-server/about-server-api
 * - Parca: POST /profiles/writeraw, the JSON form of ProfileStoreService.WriteRaw
 */
#ifndef TARE_CLI_PUSH_H
#define TARE_CLI_PUSH_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

enum push_server { PUSH_PYROSCOPE, PUSH_PARCA };

struct push_target {
	enum push_server server;
	const char *url; /* of the server, within the text that was parsed */
};

/* "pyroscope:URL" or "parca:URL", of http or https. Fails on anything else. */
bool push_parse(const char *text, struct push_target *target, struct error *err);

/*
 * Where to send what was recorded on `host` between two times, in seconds since 1970: the URL with
 * all that stands in it.
 */
void push_url(const struct push_target *target, const char *host, int64_t begin_s, int64_t end_s,
	      struct str *out);

/* The body for Parca: labels and the pprof bytes, as JSON. */
void push_parca_body(const char *host, const unsigned char *pprof, size_t size_bytes,
		     struct str *out);

/*
 * Sends the profile; true once the server has taken it. What was wrong is said on standard error,
 * by curl or by tare. Waits for processes, so it is for a process that does nothing else.
 */
bool push_profile(const struct push_target *target, const char *profile, int64_t begin_s,
		  int64_t end_s, struct error *err);

#endif
