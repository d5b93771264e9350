<?php
// Classes, closures, generators, references, exceptions, patterns, sorting.
declare(strict_types=1);

interface Shape { public function area(): float; }
abstract class Named implements Shape {
	public function __construct(protected string $name) {}
	public function __toString(): string { return sprintf('%s %.3f', $this->name, $this->area()); }
}
final class Circle extends Named {
	public function __construct(private float $radius) { parent::__construct('circle'); }
	public function area(): float { return M_PI * $this->radius ** 2; }
}
final class Square extends Named {
	public function __construct(private float $side) { parent::__construct('square'); }
	public function area(): float { return $this->side ** 2; }
}

function numbers(int $end): Generator {
	for ($i = 0; $i < $end; $i++) {
		$sent = yield $i => $i * $i % 97;
		if ($sent !== null) {
			$i += $sent;
		}
	}
	return $end;
}

function fib(int $n): int { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }

function fails(int $depth): never {
	try {
		if ($depth === 0) {
			throw new LogicException('deep');
		}
		fails($depth - 1);
	} finally {
		global $unwound;
		$unwound++;
	}
}

echo implode(', ', array_map('strval', [new Circle(2), new Square(3)])), "\n";
$generator = numbers(500);
$sum = 0;
foreach ($generator as $key => $value) {
	$sum += $key ^ $value;
}
echo $sum, ' ', $generator->getReturn(), ' ', fib(20), "\n";
try {
	fails(30);
} catch (LogicException $e) {
	echo get_class($e), ' ', $e->getMessage(), ' ', $unwound, ' ', $e->getLine(), "\n";
}
$words = preg_split('/\W+/', str_repeat('the quick brown fox jumps over the lazy dog. ', 40), -1, PREG_SPLIT_NO_EMPTY);
$counts = array_count_values($words);
uksort($counts, fn($a, $b) => [$counts[$b], $a] <=> [$counts[$a], $b]);
echo json_encode($counts), "\n";
$text = '';
for ($i = 0; $i < 3000; $i++) {
	$text = md5($text . $i);
}
echo $text, ' ', crc32($text), ' ', strlen(gzcompress(str_repeat($text, 50))), "\n";
$table = [];
for ($i = 0; $i < 20000; $i++) {
	$table[$i * 7919 % 10007] = ($table[$i % 10007] ?? 0) + $i;
}
ksort($table);
switch (count($table) % 5) {
	case 0: echo "zero\n"; break;
	case 1: echo "one\n"; break;
	default: echo "more\n";
}
echo array_sum($table), ' ', match (true) { $sum > 10 => 'large', default => 'small' }, "\n";
usleep(1000);
register_shutdown_function(function () { fwrite(STDERR, "at the end\n"); });
exit(5);
