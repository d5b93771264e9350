/* Where profiles are sent, and what Parca gets; names of continuous recordings. */
#include "cli/continuous.h"
#include "cli/push.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_url(const char *text, const char *host, const char *expected)
{
	struct push_target target;
	struct str url = {0};
	struct error err = {0};

	assert_true(push_parse(text, &target, &err));
	push_url(&target, host, 100, 160, &url);
	assert_string_equal(url.data, expected);
	str_fini(&url);
}

static void test_urls(void **state)
{
	(void)state;
	expect_url("pyroscope:http://box:4040", "box",
		   "http://box:4040/ingest?format=pprof&spyName=tare&name=tare%7Bhost%3Dbox%7D"
		   "&from=100&until=160");
	expect_url("pyroscope:https://box/a//", "a&b=c d\xff",
		   "https://box/a/ingest?format=pprof&spyName=tare"
		   "&name=tare%7Bhost%3Da%26b%3Dc%20d%FF%7D&from=100&until=160");
	expect_url("parca:http://box:7070/", "box", "http://box:7070/profiles/writeraw");
}

static void test_refused(void **state)
{
	static const char *const texts[] = {"",
					    "http://box",
					    "pyroscope:box",
					    "parca:",
					    "parca:file:///etc/passwd",
					    "tempo:http://box"};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct push_target target;
		struct error err = {0};

		assert_false(push_parse(texts[i], &target, &err));
		assert_int_equal(err.code, ERROR_USAGE);
		assert_non_null(strstr(err.message, "parca:http://HOST:PORT"));
	}
}

static void test_parca_body(void **state)
{
	struct str body = {0};

	(void)state;
	push_parca_body("a\"b", (const unsigned char *)"\x1f\x8b\x00\xff", 4, &body);
	assert_string_equal(body.data,
			    "{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\","
			    "\"value\":\"process_cpu\"},"
			    "{\"name\":\"job\",\"value\":\"tare\"},{\"name\":\"instance\","
			    "\"value\":\"a\\\"b\"}]},"
			    "\"samples\":[{\"rawProfile\":\"H4sA/w==\"}]}],\"normalized\":false}");
	str_fini(&body);
}

static void expect_name(const char *output, int64_t begin_s, const char *expected)
{
	struct str path = {0};

	continuous_output(output, begin_s, &path);
	assert_string_equal(path.data, expected);
	str_fini(&path);
}

static void test_names(void **state)
{
	(void)state;
	expect_name(NULL, 0, "tare.19700101T000000Z.tare");
	expect_name("a.d/new.tare", 1795479774, "a.d/new.20261124T002254Z.tare");
	expect_name("new", 1798761599, "new.20261231T235959Z.tare");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_parca_body),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
