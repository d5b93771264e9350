# Pipes, subshells and tools that a shell finds in itself or starts: lines, sums, a round trip.
i=0
while [ $i -lt 1500 ]; do
	i=$((i + 1))
	echo "$((i * 7919 % 1000)) line $i"
done >numbers
sort -n numbers | head -n 1500 | tail -n 3
gzip -n -c numbers >numbers.gz
gunzip -c <numbers.gz | md5sum
wc -l numbers
(
	echo subshell
	exit 3
)
echo "status $?"
awk '{ s += $1 } END { print s }' numbers
grep -c 99 numbers
