# A copy is compared with its original when it is made and later; damage is told with its place.
summary() {
	sed -E 's/[0-9]+ (functions|instructions|branches|probes|entries|of|jump|maps|unwind|call|bytes)/N \1/g'
}
tare instrument --verify "$PROGRAMS/plain_program" | summary
tare instrument --verify --null -q "$PROGRAMS/plain_program"
ls
tare instrument --verify -q -o copy "$PROGRAMS/plain_program"
tare instrument --verify --original "$PROGRAMS/plain_program" copy | summary
# The first instruction behind the probe and the counter of main's copy.
address=$(readelf -sW copy | awk '$8 == "main" { print $2 }' | sort | tail -n 1)
section=$(readelf -SW copy | grep -F .tare.text | sed 's/.*PROGBITS *//')
read -r from offset _ <<<"$section"
printf '\xcc' | dd of=copy bs=1 seek=$((0x$address - 0x$from + 0x$offset + 21)) conv=notrunc status=none
tare instrument --verify --original "$PROGRAMS/plain_program" copy | sed -E 's/0x[0-9a-f]+/ADDRESS/g' | summary
echo "status ${PIPESTATUS[0]}"
tare instrument --verify --original copy "$PROGRAMS/plain_program"
echo "status $?"
tare instrument --original copy "$PROGRAMS/plain_program"
echo "status $?"
# Where there is nothing to compare.
tare instrument --verify --only-units=1-1 "$PROGRAMS/plain_program"
