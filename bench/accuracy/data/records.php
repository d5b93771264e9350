<?php
// So many rounds of what scripts do: records are made, grouped, sorted, matched and printed as text.
class Record {
	public function __construct(public readonly int $id, public readonly string $name, private array $tags) {}
	public function weight(): int { return array_sum($this->tags) + strlen($this->name); }
}

function depth(int $n): int { return $n < 2 ? $n : depth($n - 1) + depth($n - 2); }

$sum = 0;
for ($round = 0; $round < (int)$argv[1]; $round++) {
	$groups = [];
	for ($i = 0; $i < 20000; $i++) {
		$record = new Record($i, "user" . $i * 7919 % 1009, [$i % 7, $i % 11, $i % 13]);
		$groups[$record->name][] = $record->weight();
	}
	uasort($groups, fn($a, $b) => array_sum($b) <=> array_sum($a));
	$text = '';
	foreach ($groups as $name => $weights) {
		$text .= sprintf("%s %d %.2f\n", $name, count($weights), array_sum($weights) / count($weights));
	}
	$sum += preg_match_all('/user(\d)\d* (\d+)/', $text) + crc32(md5($text)) % 1000 + depth(21);
}
echo $sum, "\n";
