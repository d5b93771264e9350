# Most of the language: regular expressions, sprintf, pack, sort, closures, die, tie, fork, sockets.
# partial: was killed$
# programs: perl
# version: perl -e 'print "perl $^V\n"'
# set: quick
# modes: null,poison,counting,dormant

run() {
	PERL_HASH_SEED=0 perl -w "$CASES/perl.pl"
	PERL_HASH_SEED=0 perl -w -d:DProf -e 1 2>&1 | head -n 1
	printf 'b 2\na 1\n' | perl -lane 'push @x, "$F[1]$F[0]"; END { print sort @x }'
	perl -pi.bak -e 's/(\d+)/$1*2/ge' "$(seq 1 50 >numbers && echo numbers)"
	perl -MJSON::PP -MData::Dumper -MDigest::SHA=sha256_hex -MList::Util=sum,reduce,shuffle \
		-MStorable=freeze,thaw -MTime::Local -MMIME::Base64 -e '
		$Data::Dumper::Sortkeys = 1;
		my $data = decode_json(q({"a":[1,2.5,"x",null,true],"b":{"c":"\u00fc"}}));
		print Dumper($data), JSON::PP->new->canonical->pretty->encode($data);
		print sha256_hex("x" x 100000), " ", sum(1 .. 1000), " ", reduce { $a * $b } 1 .. 10;
		print "\n", encode_base64(join "", map chr, 0 .. 255), timegm(0, 0, 0, 1, 0, 100), "\n";
		print join(",", @{thaw(freeze([1 .. 100]))}), "\n"'
	perl -e 'exit 300' || echo "status $?"
	perl -e 'kill "ABRT", $$' || echo "status $?"
	perl -e 'die { code => 1 }' || echo "status $?"
	perl -c -e 'if (' || echo "status $?"
}

# Numbers of lines and processes.
filter() {
	sed -E "s,HASH\(0x[0-9a-f]+\),HASH(ADDRESS),; s,line [0-9]+: +[0-9]+ ,line: ,"
}
