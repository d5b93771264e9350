# What would mend a finding stands below it, and below nothing else.
unset HOME XDG_CACHE_HOME
tare doctor --fix-hints >all
grep -A1 '^limited  cache ' all | tail -n 1 | tr -s ' '
sed -n '/^ok /{n;/^ /p}' all
tare doctor >plain
grep -c '^ ' plain
[ "$(grep -c '^\(limited\|fails\) ' all)" = "$(grep -c '^ *\(fix: \|no command mends it\)' all)" ] || cat all
tare doctor --fix-hints=all
