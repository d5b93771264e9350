# A program of rustc: panics with catch_unwind, threads, channels, collections; and rustc itself.
# programs: rustc
# version: rustc --version
# partial: was killed$

prepare() {
	rustc --edition 2021 -C opt-level=2 "$CASES/rust.rs" -o optimised
	rustc --edition 2021 -g -C prefer-dynamic "$CASES/rust.rs" -o dynamic
}

run() {
	"$DATA/optimised" 2>panics || echo "status $?"
	sort panics
	LD_LIBRARY_PATH=$(rustc --print target-libdir) "$DATA/dynamic" 2>panics || echo "status $?"
	sort panics
	rm panics
	RUST_BACKTRACE=1 "$DATA/optimised" abort 2>&1 | head -n 3
	rustc --edition 2021 -C opt-level=1 --emit asm --crate-type lib - -o part.s <<<'pub fn part(n: &[u64]) -> u64 { n.iter().map(|x| x * 7).sum() }'
	rustc --edition 2021 - 2>&1 <<<'fn main() { let x: i32 = "text"; }' || echo "status $?"
}
