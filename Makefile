# Thin front of Meson: sets up, builds, tests. Everything real is in meson.build and scripts/.

BUILD  ?= build
PREFIX ?= /usr/local
# Options for `meson setup`, as in `make SETUP=-Dwerror=true`.
SETUP  ?=

.PHONY: all build everything demo test test-update install check-format lint sanitize fuzz fuzz-coverage fuzz-differential fuzz-sessions bench fleet accuracy clean
.PHONY: deb check-deb tarball check-tarball image
.PHONY: web web-speed web-pictures setup-build setup-everything setup-test check-rewriter check-rewriter-full check-kills check-ranks check-unwind

all: build

# Anew where packages have come since, as what they bring is built, too.
$(BUILD)/build.ninja: $(wildcard /var/lib/dpkg/status)
	meson setup $(SETUP) $(if $(wildcard $@),--reconfigure) $(BUILD)

# What is installed.
build: setup-build
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	ninja -C $(BUILD) product

# With tests and benches.
everything: setup-everything
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	ninja -C $(BUILD)

setup-build:
	@scripts/setup build

setup-everything:
	@scripts/setup everything

setup-test:
	@scripts/setup build test rewriter web
	@scripts/web-packages

# A build of its own, without the optimiser: half the time, and `make` finds nothing half done.
demo:
	@scripts/setup demo
	@scripts/demo $(BUILD)-demo $(SETUP)

test: setup-test
	@$(MAKE) --no-print-directory everything
	@scripts/run-tests $(BUILD)

# The rewriter over real programs: what `make test` does of it, and all of it with the table of results.
# kill -9 at random moments; COUNT of them.
check-kills: setup-test
	@$(MAKE) --no-print-directory everything
	@TARE=$(abspath $(BUILD))/src/cli/tare FIXTURES=$(abspath $(BUILD))/tests/fixtures E2E=tests/e2e \
	E2E_CACHE=$(abspath $(BUILD))/e2e-cache tests/e2e/kills.sh $(or $(COUNT),100)

# 64 ranks of Open MPI (openmpi-bin, libopenmpi-dev) on the processors that there are.
check-ranks: setup-test
	@$(MAKE) --no-print-directory everything
	@TARE=$(abspath $(BUILD))/src/cli/tare FIXTURES=$(abspath $(BUILD))/tests/fixtures E2E=tests/e2e \
	E2E_CACHE=$(abspath $(BUILD))/e2e-cache tests/e2e/mpi.sh many

# Stacks beside those of libunwind and elfutils; STOPS of each program.
check-unwind: setup-test
	@$(MAKE) --no-print-directory everything
	@for program in bash perl python3 lua5.4 sqlite3 turns thrown panicked; do \
	echo "$$program:"; tests/unwind/others.sh $(abspath $(BUILD))/tests/unwind/other_stacks \
	$$program $(or $(STOPS),300) 30 || [ $$? = 77 ] || exit 1; done

check-rewriter: setup-test
	@$(MAKE) --no-print-directory everything
	@scripts/run-tests $(BUILD) --suite rewriter --suite corpus

check-rewriter-full:
	@scripts/setup build test rewriter rewriter-full
	@$(MAKE) --no-print-directory everything
	@scripts/run-tests $(BUILD) --suite rewriter --suite corpus --suite corpus-full; status=$$?; \
	tests/corpus/table $(BUILD)/tests/corpus/results src/rewrite/verdict.c docs/explanation/compatibility.md && \
	scripts/check-documents --write && exit $$status

# Rewrites the expected outputs from the present ones; look at the difference before committing.
test-update: everything
	TARE_TEST_UPDATE=1 meson test -C $(BUILD) --suite golden --suite cli

install: build
	meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)) -Dlibdir=lib
	ninja -C $(BUILD) product
	meson install -C $(BUILD) --no-rebuild

# The Debian packages, for the release that this runs on: $(BUILD)/deb/*.deb.
deb:
	@scripts/setup build package
	packaging/deb $(BUILD)

# They are built, installed, tried and removed in chroots of Debian 12 and 13, as root; RELEASES are others.
check-deb:
	@scripts/setup build package
	packaging/check-deb $(BUILD) $(RELEASES)

# tare with all libraries built in, for any Linux: $(BUILD)/tarball/tare-VERSION-x86_64-linux.tar.xz.
tarball:
	@scripts/setup build package
	packaging/tarball $(BUILD)

# It is tried in a chroot of Debian 11 and in one that has musl, as root.
check-tarball:
	@scripts/setup build package
	packaging/check-tarball $(BUILD) $(RELEASES)

# The image "tare", by podman or docker.
image:
	packaging/image $(BUILD) $(OPTIONS)

check-format:
	@scripts/setup lint
	scripts/check-format

lint: everything
	@scripts/setup lint
	scripts/check-lint $(BUILD)
	scripts/check-includes
	scripts/check-size

# A build of its own with AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: setup-test
	@test -e $(BUILD)-sanitize/build.ninja || meson setup $(SETUP) $(BUILD)-sanitize \
		-Db_sanitize=address,undefined -Db_lundef=false
	ninja -C $(BUILD)-sanitize
	@scripts/run-tests $(BUILD)-sanitize --suite unit --suite golden

# Seconds per fuzz target.
FUZZ_SECONDS ?= 60
fuzz:
	@scripts/setup build lint
	@test -e $(BUILD)-fuzz/build.ninja || CC=clang meson setup $(SETUP) $(BUILD)-fuzz \
		-Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@scripts/fuzz $(BUILD)-fuzz $(FUZZ_SECONDS)

# What the fuzzers reach, with what `make fuzz` has found so far.
fuzz-coverage:
	@scripts/setup build lint
	@test -e $(BUILD)-coverage/build.ninja || CC=clang meson setup $(SETUP) $(BUILD)-coverage \
		-Dfuzz=true -Dc_args='-fprofile-instr-generate -fcoverage-mapping' \
		-Dc_link_args=-fprofile-instr-generate -Db_lundef=false
	@scripts/fuzz-coverage $(BUILD)-coverage $(BUILD)-fuzz

# Damaged sessions and hostile clients of recorders, SECONDS for each of the two.
fuzz-sessions: setup-test
	@test -e $(BUILD)-sanitize/build.ninja || meson setup $(SETUP) $(BUILD)-sanitize \
		-Db_sanitize=address,undefined -Db_lundef=false
	ninja -C $(BUILD)-sanitize
	scripts/fuzz-sessions $(BUILD)-sanitize --seconds $(SECONDS)

# Generated programs against their instrumented selves; SEED of the first program.
SECONDS ?= 60
SEED ?= 1
fuzz-differential: setup-build
	@scripts/setup build differential
	@$(MAKE) --no-print-directory everything
	scripts/fuzz-differential --tare $(BUILD)/src/cli/tare --seconds $(SECONDS) --seed $(SEED) \
		--keep $(BUILD)/differential

bench:
	@scripts/setup build bench
	@$(MAKE) --no-print-directory everything
	bench/run $(BUILD) --write docs/explanation/benchmarks.md
	scripts/check-documents --write

# Large profiles in two ClickHouse servers, and without one with DUCKDB and CHDB=FOLDER, in which
# `npm install @duckdb/node-api chdb` was run.
fleet:
	@scripts/setup build fleet
	@$(MAKE) --no-print-directory everything
	bench/fleet $(BUILD) $(if $(COUNT),--count=$(COUNT)) $(if $(DUCKDB),--duckdb=$(DUCKDB)) $(if $(CHDB),--chdb=$(CHDB))

# Recordings of real programs beside perf, callgrind and plain runs; half an hour on a machine that does
# nothing else. OPTIONS of `tare record`, ONLY one program.
accuracy:
	@scripts/setup build accuracy
	@$(MAKE) --no-print-directory everything
	bench/accuracy/run $(BUILD) $(if $(OPTIONS),--options="$(OPTIONS)") \
	$(if $(ONLY),--only "$(ONLY)",$(if $(OPTIONS),,--write docs/explanation/accuracy.md)) --csv $(BUILD)/accuracy/table.csv
	scripts/check-documents --write

# What is reported beside functions of known time.
accuracy-known: setup-build
	@$(MAKE) --no-print-directory everything
	bench/accuracy/known $(BUILD) --write docs/explanation/accuracy.md

# The page of the HTML report, which is kept in the repository.
web:
	@scripts/setup web
	@scripts/web-packages
	cd web && npm run --silent check && npm run --silent build

# How fast the page is with 100,000 call paths, and with a million waits of 1,000 threads.
web-speed: setup-test
	@$(MAKE) --no-print-directory everything
	tests/web/run tests/web/speed.mjs $(BUILD)/src/cli/tare $(BUILD)/bench/large_profile
	tests/web/run tests/web/timeline_speed.mjs $(BUILD)/src/cli/tare $(BUILD)/bench/waiting_profile

# The pictures of the page in docs/images.
web-pictures: setup-test
	@$(MAKE) --no-print-directory everything
	scripts/pictures $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-demo $(BUILD)-sanitize $(BUILD)-fuzz
