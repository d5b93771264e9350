# sed, grep, both awks, find, xargs, diff, tar, ed, vim, make and bc-like work on real text.
# programs: sed grep gawk mawk find xargs diff tar ed make
# version: gawk --version
# set: quick

prepare() {
	cp /usr/share/common-licenses/GPL-3 license
	for ((i = 0; i < 3000; i++)); do
		echo "$i,$((i * 7919 % 1009)),name$((i % 37)),$((i % 100)).$((i % 7))"
	done >table.csv
	mkdir -p tree/{a,b,c}/{x,y,z}
	for directory in tree/*/*; do
		head -n 40 table.csv >"$directory/file"
		ln -s file "$directory/link"
	done
	find tree -exec touch -h -d '2020-02-29 12:00' {} +
}

run() {
	sed -E -n 's/(\w+) (\w+)/\2 \1/2gp; /^$/d; $=' "$DATA/license"
	sed -e ':a;N;$!ba;s/\n\n*/|/g' "$DATA/license" | md5sum
	sed -i.orig '1~3d' "$(cp "$DATA/table.csv" edited && echo edited)"
	grep -n -E '(the|of) [a-z]{5,}ing' "$DATA/license"
	grep -c -P '(?<=[aeiou])th(?=e)' "$DATA/license"
	grep -r -l -w name7 "$DATA/tree" | sort | wc -l
	grep -o -i 'software\|license' "$DATA/license" | sort | uniq -c
	grep -F -f <(head -n 100 "$DATA/table.csv" | cut -d, -f 2) "$DATA/table.csv" | tail -n 5
	grep -q nothing-like-this "$DATA/license" || echo "status $?"
	for awk in gawk mawk; do
		"$awk" -F, '{ n[$3] += $2; v[$3] = v[$3] $4 }
			END { for (k in n) print k, n[k], length(v[k]) }' "$DATA/table.csv" | sort
		"$awk" '{ for (i = 1; i <= NF; i++) words[tolower($i)]++ }
			END { for (w in words) printf "%5d %s\n", words[w], w }' "$DATA/license" | sort | tail
		"$awk" 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
			BEGIN { print f(20), sin(1), exp(2), substr("abcdef", 2, 3), sprintf("%08.3f|%c", 3.14159, 65) }'
	done
	gawk 'BEGIN { PROCINFO["sorted_in"] = "@ind_num_asc"; for (i = 0; i < 2000; i++) a[i * 7 % 2003] = i
		n = asort(a, b); print n, b[1], b[n], gensub(/(b+)/, "<\\1>", "g", "abbcbd"), strftime("%F", 0, 1) }'
	find "$DATA/tree" -type f -name 'f*' -size +1c -newermt 2019-01-01 -printf '%P %s %m\n' | sort
	find "$DATA/tree" \( -name x -prune \) -o -type l -print0 | sort -z | xargs -0 -n 4 -P 2 echo | wc
	diff -u "$DATA/table.csv" edited | tail -n +3 | md5sum
	diff -r -y "$DATA/tree/a" "$DATA/tree/b"
	diff <(sort "$DATA/table.csv") "$DATA/table.csv" | tail -n 3
	tar -C "$DATA" --sort=name --owner=0 --group=0 --numeric-owner -cf tree.tar tree
	tar -tvf tree.tar
	mkdir out
	tar -C out -xf tree.tar --strip-components=1 --exclude='*/b/*'
	printf '%s\n' '1,5d' 'g/the/s//THE/g' '$a' 'the end' . 'w edited.license' q |
		ed -s "$DATA/license"
	printf 'all: c\n\t@echo built $^\nc: a b\n\tcat $^ >$@\na b:\n\techo $@ >$@\n%%.o: %%.c\n\tcc $<\n' >Makefile
	make -j 2 --no-print-directory
	make -n -B -p | grep -c '^[a-z]'
	rm -f tree.tar
}

filter() {
	sed -E 's,/dev/fd/[0-9]+,/dev/fd/N,; s,/proc/self/fd/[0-9]+,/dev/fd/N,; s,^(---|\+\+\+) .*,\1,'
}
