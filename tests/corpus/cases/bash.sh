# A script that uses most of the language: expansions, arrays, traps, jobs, co-processes, patterns.
# partial: was killed$
# programs: bash
# version: bash --version
# set: quick
# modes: null,poison,counting,dormant

run() {
	bash "$CASES/bash.bash" one 'two words' three || echo "status $?"
	bash -n "$CASES/bash.bash"
	bash --posix -c 'set -o; echo ${BASH_VERSION%%.*}; x=1; readonly x; x=2' || echo "status $?"
	bash -O extglob -c 'echo ${1//+([0-9])/N} ${1##*(a|b)}' - ab12c345
	bash -c 'kill -SEGV $$' || echo "status $?"
	bash -i -c 'echo interactive' 2>/dev/null </dev/null
	printf '%s\n' 'PS1="> "' 'a=1; b=2' 'echo $((a+b))' '!!' 'fc -l' | bash --norc -i 2>/dev/null
}

filter() {
	sed -E 's/line [0-9]+: +[0-9]+ /line: /'
}
