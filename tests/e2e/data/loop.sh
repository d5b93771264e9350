# Arithmetic, strings, arrays, functions and patterns in a loop of $1 rounds.
count=0
declare -a seen
classify() {
	case $1 in
	*00) result=hundred ;;
	*[13579]) result=odd ;;
	*) result=even ;;
	esac
}
for ((i = 0; i < $1; i++)); do
	((count += i % 7))
	if ((i % 16 == 0)); then
		classify "$i"
		seen[i % 64]=${result^^}:${i/1/x}
	fi
done
echo "$count ${#seen[@]} ${seen[*]}"
