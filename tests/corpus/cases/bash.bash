set -o pipefail
declare -A map
for ((i = 0; i < 20000; i++)); do
	map[k$((i % 97))]+=$((i % 10))
done
for k in "${!map[@]}"; do printf '%s=%s\n' "$k" "${#map[$k]}"; done | sort | md5sum

fib() { (($1 < 2)) && { echo "$1"; return; }; echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); }
fib 9
sieve() {
	local -a composite
	local n m primes=()
	for ((n = 2; n <= 3000; n++)); do
		[[ ${composite[n]} ]] && continue
		primes+=("$n")
		for ((m = n * n; m <= 3000; m += n)); do composite[m]=1; done
	done
	echo "${#primes[@]} ${primes[*]: -3}"
}
sieve

text='The quick brown fox jumps over the lazy dog'
echo "${text^^} ${text,,} ${text:4:5} ${text/quick/slow} ${text//o/0} ${#text} ${text%% *} ${text##* }"
echo "${text@Q} ${unset:-default} ${unset=assigned} ${unset:+set} $* ${*: -1} $# ${@:2:1}"
words=($text)
echo "${words[@]/#/<}" "${words[-1]}" "${!words[@]}"
mapfile -t lines < <(seq 1 500)
echo "${#lines[@]} ${lines[499]}"
[[ $text =~ ([a-z]+)\ fox ]] && echo "${BASH_REMATCH[1]}"
case $text in *cat*) echo cat ;; *fox*) echo fox ;;& *dog) echo dog ;; esac
shopt -s extglob nullglob
echo "${text//+([aeiou])/_}" /nonexistent*
echo $((16#ff + 2#101 + 010)) $((5 ** 7 % 13)) $((-7 / 2)) $((1 << 40)) $((7 > 3 ? 1 : 0))
printf '%05d|%-8s|%x|%q|%(%Y)T\n' 42 abc 255 'a b' 0
while IFS=: read -r user _ id rest; do echo "$user $id"; done < <(printf 'root:x:0:0\nme:x:1000:1\n')
cat <<-END
	here $((1 + 2)) $(echo nested $(echo deeper))
	END
cat <<<"string $text"

trap 'echo "trap EXIT $?"' EXIT
trap 'echo "trap USR1"' USR1
trap 'echo "trap ERR"' ERR
kill -USR1 $$
false
(exit 3) || echo "status $?"
(trap 'echo inner; exit 4' TERM; kill -TERM $BASHPID; sleep 5) || echo "status $?"
for n in 1 2 3 4; do (sleep 0.0$n; exit "$n") & done
wait
sleep 0.05 & job=$!
wait "$job"
echo "waited $?"
false | true | (exit 7) | true
echo "${PIPESTATUS[@]}"
coproc { while read -r line; do echo "<$line>"; done; }
echo hello >&"${COPROC[1]}"
read -r answer <&"${COPROC[0]}"
echo "$answer"
exec {to}>&"${COPROC[1]}"
eval "exec ${COPROC[1]}>&-"
exec {to}>&-
wait "$COPROC_PID" 2>/dev/null || true
yes | head -n 5000 | tail -n 1
seq 1 200000 | while read -r n; do ((sum += n)); [ "$n" = 5000 ] && { echo "$sum"; break; }; done
exec 5<>file
echo content >&5
exec 5>&-
cat file - <<<stdin
ulimit -n
umask 027
: >masked
stat -c %a masked
(cd / && pwd) && [[ -d /proc && ! -e /none && -r file ]] && echo tests
declare -n ref=text
echo "${ref:0:3}"
declare -i number=5*4
echo "$number" "$(type -t fib)" "$(declare -f fib | wc -l)"
set -- a b c
shift
echo "$@"
while getopts 'ab:' option -a -b value; do echo "$option $OPTARG"; done
select_one() { select x in p q; do echo "$x"; break; done; }
echo 2 | select_one 2>&1
TIMEFORMAT=timed; time :
deep() { (($1)) && deep $(($1 - 1)) || echo bottom; }
deep 800
unknown-command-here || echo "status $?"
echo "${must_be_set?message}"
