/* See push.h. */
#include "cli/push.h"

#include "base/base.h"
#include "base/file.h"
#include "base/file_view.h"
#include "cli/json_text.h"

#include <errno.h>
#include <nettle/base64.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool push_parse(const char *text, struct push_target *target, struct error *err)
{
	static const char *const names[] = {
		[PUSH_PYROSCOPE] = "pyroscope:", [PUSH_PARCA] = "parca:"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *url = text + strlen(names[i]);

		if (strncmp(text, names[i], strlen(names[i])) != 0)
			continue;
		if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
			break;
		*target = (struct push_target){.server = (enum push_server)i, .url = url};
		return true;
	}
	return error_set(err, ERROR_USAGE,
			 "--push=%s names no server; say pyroscope:http://HOST:PORT or "
			 "parca:http://HOST:PORT",
			 text);
}

/* As in a query: RFC 3986, unreserved characters as they are. */
static void append_encoded(struct str *out, const char *text)
{
	static const char plain[] = "-._~";

	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;
		const bool is_plain = (byte >= '0' && byte <= '9') ||
				      (byte >= 'a' && byte <= 'z') ||
				      (byte >= 'A' && byte <= 'Z') || strchr(plain, byte);

		if (is_plain)
			str_append_bytes(out, text, 1);
		else
			str_printf(out, "%%%02X", byte);
	}
}

void push_url(const struct push_target *target, const char *host, int64_t begin_s, int64_t end_s,
	      struct str *out)
{
	size_t length = strlen(target->url);
	struct str name = {0};

	while (length && target->url[length - 1] == '/')
		length--;
	str_append_bytes(out, target->url, length);
	if (target->server == PUSH_PARCA) {
		str_append(out, "/profiles/writeraw");
		return;
	}
	str_printf(&name, "tare{host=%s}", host);
	str_append(out, "/ingest?format=pprof&spyName=tare&name=");
	append_encoded(out, name.data);
	str_printf(out, "&from=%jd&until=%jd", (intmax_t)begin_s, (intmax_t)end_s);
	str_fini(&name);
}

void push_parca_body(const char *host, const unsigned char *pprof, size_t size_bytes,
		     struct str *out)
{
	char *encoded = mem_alloc(BASE64_ENCODE_RAW_LENGTH(size_bytes) + 1);

	base64_encode_raw(encoded, size_bytes, pprof);
	str_append(out, "{\"series\":[{\"labels\":{\"labels\":["
			"{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
			"{\"name\":\"job\",\"value\":\"tare\"},{\"name\":\"instance\",\"value\":");
	json_text_append(out, host);
	str_append(out, "}]},\"samples\":[{\"rawProfile\":\"");
	str_append_bytes(out, encoded, BASE64_ENCODE_RAW_LENGTH(size_bytes));
	str_append(out, "\"}]}],\"normalized\":false}");
	free(encoded);
}

/* Of a program in $PATH, or by its path; false where it cannot be run or does not end with 0. */
static bool run(const char *const *words, struct error *err)
{
	pid_t child;
	int status = 0;
	const int failed =
		posix_spawnp(&child, words[0], NULL, NULL, (char *const *)words, environ);

	if (failed)
		return error_set_errno(err, failed, "%s, which sends profiles, cannot be run",
				       words[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 || error_set(err, ERROR_SYSTEM, "%s has failed", words[0]);
}

/* In place of the pprof file at `path`. */
static bool wrap_for_parca(const char *host, const char *path, struct error *err)
{
	struct file_output output = {.fd = -1};
	struct file_view pprof = {0};
	struct str body = {0};

	if (!file_view_open(&pprof, path, err))
		return false;
	push_parca_body(host, pprof.data, pprof.size, &body);
	file_view_close(&pprof);
	const bool ok = file_output_open(&output, path, err) &&
			file_output_write(&output, body.data, body.len, err) &&
			file_output_commit(&output, FILE_MODE_PRIVATE, err);
	str_fini(&body);
	file_output_discard(&output);
	return ok;
}

static bool send_file(const struct push_target *target, const char *host, const char *path,
		      int64_t begin_s, int64_t end_s, struct error *err)
{
	struct str url = {0}, body = {0};

	push_url(target, host, begin_s, end_s, &url);
	str_printf(&body, "@%s", path);
	const char *const words[] = {"curl",
				     "--silent",
				     "--show-error",
				     "--fail",
				     "--output",
				     "/dev/null",
				     "--max-time",
				     "60",
				     "--header",
				     target->server == PUSH_PARCA
					     ? "Content-Type: application/json"
					     : "Content-Type: application/octet-stream",
				     "--data-binary",
				     body.data,
				     "--url",
				     url.data,
				     NULL};
	const bool ok = run(words, err);
	str_fini(&url);
	str_fini(&body);
	return ok;
}

bool push_profile(const struct push_target *target, const char *profile, int64_t begin_s,
		  int64_t end_s, struct error *err)
{
	char host[256] = "";
	struct str path = {0};

	gethostname(host, sizeof(host) - 1);
	str_printf(&path, "%s.pb.gz", profile);
	const char *const words[] = {"/proc/self/exe", "export", "--format=pprof", "-o", path.data,
				     profile,	       NULL};
	const bool ok = run(words, err) &&
			(target->server != PUSH_PARCA || wrap_for_parca(host, path.data, err)) &&
			send_file(target, host, path.data, begin_s, end_s, err);
	unlink(path.data);
	str_fini(&path);
	return ok;
}
