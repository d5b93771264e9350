# node: workers, streams, async functions, zlib, crypto, WebAssembly, HTTP over loopback, child processes.
# programs: node
# version: node --version
# partial: was killed$

run() {
	node --no-warnings "$CASES/node.js"
	node -e 'process.exitCode = 9; throw new Error("thrown")' 2>/dev/null || echo "status $?"
	node -e 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 5000)' || echo "status $?"
	node --jitless -p '[..."abc"].map(c => c.codePointAt(0)).reduce((a, b) => a + b)'
	node --check "$CASES/node.js"
}

# Numbers of processes.
filter() {
	sed -E 's/line [0-9]+: +[0-9]+ /line: /'
}
