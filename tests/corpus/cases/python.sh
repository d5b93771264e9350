# python3 runs a part of its own regression tests.
# unmatched: libffi's ffi_call_unix64 moves its return address, a static ldconfig begins unseen
# programs: python3
# needs: /usr/lib/python3*/test/test_zlib.py
# partial: was killed$
# version: python3 --version
# set: quick

# test_search_anchor_at_beginning fails where a search takes 100 ms: what counting makes of it is no matter of behaviour.
run() {
	python3 -m test -v --ignore test_search_anchor_at_beginning test_dict test_float test_functools test_generators test_list \
		test_re test_sort test_struct test_zlib test_ctypes test_thread 2>&1
	rm -rf build
}

# One line per test and the summaries; what tests print besides depends on chance and time.
filter() {
	grep -E ' \.\.\. (ok|skipped|FAIL|ERROR|expected failure)|^(Result|Tests result|OK|FAILED)|failed' |
		sed -E "s/0x[0-9a-f]{6,}/ADDRESS/g; s/, [0-9.]+ (sec|ms|min).*//; s/'[^']*(tmp|run)[^']*'/PATH/g"
}
