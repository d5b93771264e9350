use strict;
use utf8;
use feature qw(say state fc);
use Socket;
use IO::Handle;
use POSIX qw(floor strftime :sys_wait_h);
binmode STDOUT, ':utf8';
my $main = $$;
$| = 1;

# Regular expressions.
my $text = join ' ', map { "word$_ " . ('ab' x ($_ % 5)) . "-$_" } 1 .. 500;
say scalar(() = $text =~ /\bword(\d*5)\b/g);
(my $copy = $text) =~ s/(\d+)-?/sprintf '<%03d>', $1 % 1000/ge;
say length $copy, ' ', unpack '%32C*', $copy;
my $balanced = qr/\((?:[^()]++|(?R))*+\)/;
say $1 if 'x(a(b)c(d(e)))y' =~ /($balanced)/;
say join '|', 'key=val; k2="v 2"' =~ /(?<name>\w+)=(?:"([^"]*)"|(\w+))/ ? ($+{name}, $3) : ();
say join ',', split /(?<=,)|\s*;\s*/, 'a,b;c , d';
say 'ÄÖÜß' =~ /^\p{Lu}+\p{Ll}$/ ? 'unicode' : 'bytes', ' ', fc('Straße'), ' ', scalar reverse 'añb';
say join ' ', map { sprintf '%vd', $_ } '1.22.333';
{ my $n = 0; 'aaaaaaaaaaaaaaaaaaaaaaa' =~ /^(a+)+(?{ $n++ })b/; say $n > 0 ? 'backtracked' : 'optimised' }
say tr/a-y/b-z/r for 'hal', 'dmbc';
my $cell = 'aXbXc'; pos($cell) = 2; $cell =~ /\G(.)/gc and say $1, pos $cell;

# sprintf, pack, numbers.
say sprintf '%s|%5d|%-5d|%05.1f|%e|%g|%x|%o|%b|%c|%%|%*d|%-*s|%2$s', 'a', 42, 7, 3.14159, 12345.678, 1e-7, 255, 8, 5, 65, 6, 7, 4, 'x';
say join ' ', unpack 'A3 n N v V q> w/a', pack 'A3 n N v V q> w/a', 'abc', 258, 16909060, 513, 67305985, -5, 'counted';
say unpack('H*', pack 'd> f< U C0U s!', 1.5, -2.25, 0x263a, 0xe9, -1), ' ', 2 ** 53 + 1, ' ', 7 % -3, ' ', -7 / 2, ' ', 1e15 + 0.3, ' ', 0.1 + 0.2, ' ', int(-3.7), ' ', 9 <=> 10, ' ', '9' cmp '10';
say 18446744073709551615 + 0, ' ', 9223372036854775807 + 1, ' ', ~0 >> 1, ' ', hex('ff'), ' ', oct('0b101');
say sqrt(2), ' ', atan2(1, 1) * 4, ' ', exp(1), ' ', log(10), ' ', sin(1), ' ', 10 ** -3;

# Sorting, hashes, closures, contexts.
my %count;
$count{$_ % 97} .= $_ for 1 .. 30000;
say join ',', map { length $count{$_} } sort { $a <=> $b } keys %count;
say join ' ', (sort { length $a <=> length $b or $b cmp $a } map { $_ x ($_ % 4 + 1) } 1 .. 40)[0 .. 9];
my @subs = map { my $n = $_; sub { $n += shift // 1 } } 1 .. 3;
$_->(10) for @subs;
say join ' ', map { $_->() } @subs;
sub counter { state $n = 0; return wantarray ? (++$n, 'list') : ++$n }
my $scalar = counter(); my @list = counter();
say "$scalar @list";
sub ackermann { my ($m, $n) = @_; no warnings 'recursion'; $m == 0 ? $n + 1 : $n == 0 ? ackermann($m - 1, 1) : ackermann($m - 1, ackermann($m, $n - 1)) }
say ackermann(2, 60);
my @matrix = map { [map { $_ * 2 } 1 .. 5] } 1 .. 5;
say join ';', map { join ',', @$_[1 .. 3] } @matrix[0, -1];
my @spliced = (1 .. 10); splice @spliced, 3, 4, qw(a b); say "@spliced";
local $_ = 'topic'; say for grep { /o/ } map { ucfirst } qw(one two three);

# Errors.
for my $code (sub { die "plain\n" }, sub { die { code => 7 } }, sub { my $x = 1; my $y = 0; $x / $y }, sub { undef->method }, sub { Thing->new->none }) {
	eval { $code->(); 1 } or say ref $@ ? "hash $@->{code}" : $@ =~ s/ at .*//sr;
}
eval { eval { die "inner\n" }; print "caught $@"; die "outer\n" }; print "caught $@";
say eval('1 +') // 'syntax error';
{ local $SIG{__WARN__} = sub { print 'warned: ', $_[0] =~ s/ at .*//sr, "\n" }; my $u; my $v = "x$u"; warn "mine\n" }
{ local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; 1 while 1 }; print $@ }

# Objects, tie, overload, DESTROY, AUTOLOAD.
package Thing { sub new { bless { name => $_[1] // 'none' }, $_[0] } sub DESTROY { print "destroyed $_[0]{name}\n" } our $AUTOLOAD; sub AUTOLOAD { die "no method $AUTOLOAD\n" if $AUTOLOAD =~ /none/; $AUTOLOAD } }
package Doubling { sub TIESCALAR { bless [0], shift } sub FETCH { $_[0][0] * 2 } sub STORE { $_[0][0] = $_[1] } }
package Logged { require Tie::Hash; our @ISA = 'Tie::StdHash'; my $n = 0; sub STORE { $n++; $_[0]{$_[1]} = $_[2] } sub writes { $n } }
package Vec2 { use overload '+' => sub { Vec2->new($_[0][0] + $_[1][0], $_[0][1] + $_[1][1]) }, '""' => sub { "($_[0][0], $_[0][1])" }, '==' => sub { "$_[0]" eq "$_[1]" }, 'bool' => sub { 1 }; sub new { my $c = shift; bless [@_], $c } }
package main;
{ my $thing = Thing->new('one'); say $thing->anything; my $weak = $thing }
tie my $doubled, 'Doubling'; $doubled = 21; say $doubled;
tie my %logged, 'Logged'; $logged{$_} = 1 for 1 .. 50; say Logged->writes, ' ', scalar keys %logged;
say Vec2->new(1, 2) + Vec2->new(3, 4);
say Thing->can('new') ? 'can' : 'cannot', ' ', Vec2->new(1, 1)->isa('Vec2');

# Processes, pipes, sockets, files.
unless (my $child = fork) { exit 3 } wait; say $? >> 8;
say `echo from the shell; exit 5`, $? >> 8;
pipe my $reader, my $writer;
unless (fork) { close $reader; print $writer "child $_\n" for 1 .. 3; exit 0 }
close $writer; print while <$reader>; wait;
socketpair my $left, my $right, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die;
$_->autoflush(1) for $left, $right;
unless (fork) { close $left; while (<$right>) { last if /quit/; print $right uc } exit 0 }
close $right; for my $word (qw(alpha beta)) { print $left "$word\n"; print scalar <$left> } print $left "quit\n"; wait;
socket my $server, PF_INET, SOCK_STREAM, 0; bind $server, sockaddr_in(0, INADDR_LOOPBACK); listen $server, 5;
my ($port) = sockaddr_in(getsockname $server);
unless (fork) { socket my $c, PF_INET, SOCK_STREAM, 0; connect $c, sockaddr_in($port, INADDR_LOOPBACK); $c->autoflush(1); print $c "request\n"; my $answer = <$c>; exit($answer eq "reply to request\n" ? 0 : 1) }
accept my $client, $server; $client->autoflush(1); my $line = <$client>; print $client "reply to $line"; wait; say "client $?";
open my $out, '>:encoding(UTF-8)', 'file' or die; say $out "zeile $_ äöü" for 1 .. 100; close $out;
open my $in, '<:encoding(UTF-8)', 'file' or die; my @lines = <$in>; close $in; say scalar @lines, ' ', length $lines[9];
open my $memory, '<', \"in\nmemory\n"; say join '|', map { chomp; $_ } <$memory>;
open my $both, '+<', 'file'; seek $both, 6, 0; print $both '!'; seek $both, 0, 0; say scalar <$both>; close $both;
mkdir 'dir'; rename 'file', 'dir/file'; opendir my $dh, 'dir'; say join ' ', grep { !/^\./ } readdir $dh; say -s 'dir/file', ' ', -d 'dir' ? 'directory' : '';
my $kid = fork; unless ($kid) { $SIG{TERM} = sub { exit 9 }; sleep 10 while 1 } select undef, undef, undef, 0.3; kill TERM => $kid; waitpid $kid, 0; say WEXITSTATUS($?);
say strftime('%Y-%m-%d %H:%M:%S', gmtime 1700000000), ' ', join ',', (localtime 0)[5, 7];
my $format = ''; { local $^A = ''; formline "@<<<< @>>>> @##.##\n", 'left', 'right', 3.14159; $format = $^A } print $format;
my ($vec, @bits) = (''); vec($vec, $_ * 3, 1) = 1 for 0 .. 20; say unpack 'b*', $vec;
say join ' ', map { $_->[0] } sort { $a->[1] <=> $b->[1] || $a->[0] cmp $b->[0] } map { [$_, tr/aeiou//] } qw(queue sky apple tree onion rhythm);
my $deep = []; my $at = $deep; $at = $at->[0] = [] for 1 .. 20000; undef $deep; say 'freed';
say __LINE__, ' ', (caller(0))[3] // 'main', ' ', ref \&counter, ' ', ref qr/x/, ' ', ref \my @x;
END { print "END $?\n" if $$ == $main }
