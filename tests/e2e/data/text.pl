# Text work: generating, splitting, regular expressions, hashes, sorting, formatting, pack, eval.
use strict;
use warnings;

my ($seed, %count, @lines) = (12345);
for my $i (1 .. 40_000) {
	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	push @lines, sprintf("user%03d %s %d.%02d", $seed % 500,
		join("-", map { chr(97 + ($seed >> $_) % 26) } 3, 7, 11), $seed % 1000, $i % 100);
}
for (@lines) {
	my ($user, $first, $sum) = /^user(\d+) ([a-z])-(?:[a-z]-)+[a-z] (\d+\.\d+)$/ or next;
	$count{$user}{sum} += $sum;
	$count{$user}{first}{$first}++;
	(my $swapped = $_) =~ s/(\w)-(\w)/$2$1/g;
	$count{$user}{bytes} += unpack("%32C*", $swapped);
}
my @order = sort { $count{$b}{sum} <=> $count{$a}{sum} || $a cmp $b } keys %count;
printf "%s %.2f %d %d\n", $_, $count{$_}{sum}, $count{$_}{bytes}, scalar keys %{$count{$_}{first}}
	for @order[0 .. 19];
my $caught = 0;
for my $i (1 .. 5000) {
	eval { die { code => $i } if $i % 5 == 0; 1 } or $caught += $@->{code};
}
my $packed = pack("(N n C)*", map { $_, $_ % 65536, $_ % 256 } 1 .. 5000);
print "caught $caught packed ", length($packed), " ", unpack("%32C*", $packed), "\n";
