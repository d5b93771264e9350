# Where a tare comes from: no path of the machine that it was built on, and the same each time.
tare --version
tare --version --build >facts
cut -d ' ' -f 1 facts
grep / facts
grep -q '^commit  *\([0-9a-f]\{12\}+\?\|unknown\)$' facts || cat facts
grep -q '^libraries .*Zydis [0-9]*\.[0-9]*\.[0-9]*, .*libdw [0-9.]*, .*sqlite3 [0-9.]*, ' facts || cat facts
tare --version --build | cmp - facts
tare --version --build --build
echo "status $?"
tare --version now
