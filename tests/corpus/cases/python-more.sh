# python3 runs more of its own regression tests: processes, sockets, asyncio, decimals, pickles.
# unmatched: ldconfig, a static child, ends one call that no probe saw begin
# programs: python3
# needs: /usr/lib/python3*/test/test_zlib.py
# partial: was killed$
# modes: null,counting
# version: python3 --version

run() {
	python3 -m test -v test_bytes test_exceptions test_itertools test_json test_long test_math test_set \
		test_descr test_builtin test_gc test_hashlib test_bz2 test_lzma test_mmap test_queue test_unicode \
		test_coroutines test_contextlib test_dataclasses test_enum test_ast test_fork1 test_wait4 \
		test_select test_selectors test_threading 2>&1
	rm -rf build
}
# One line per test and the summaries; what tests print besides depends on chance and time.
filter() {
	grep -E ' \.\.\. (ok|skipped|FAIL|ERROR|expected failure)|^(Result|Tests result|OK|FAILED)|failed' |
		sed -E "s/0x[0-9a-f]{6,}/ADDRESS/g; s/, [0-9.]+ (sec|ms|min).*//; s/'[^']*(tmp|run)[^']*'/PATH/g"
}
