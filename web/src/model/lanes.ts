// Arrows of jumps beside code: each has a lane, a column of the gutter, to itself where it passes.
// Jumps that lead to one row from the same side end in one arrow. Short arrows stand next to the
// code, so that those of an inner loop lie within those of an outer one.

export interface Jump { from: number; to: number }

export interface Arrow {
	to: number;
	/** Whether it leads back: a loop. */
	back: boolean;
	/** The rows that it leads from, ascending. */
	from: number[];
	/** Its first and last row. */
	low: number;
	high: number;
	/** From 0, which is next to the code; -1: all are taken. */
	lane: number;
}

/** What of an arrow is in a row. */
export interface Part { arrow: Arrow; above: boolean; below: boolean; begins: boolean; ends: boolean }

export class Lanes {
	readonly arrows: Arrow[];
	/** Lanes that are used. */
	readonly count: number;
	/** Arrows that have no lane: too many pass where they would. */
	readonly leftOut: number;
	/** By lane: its arrows, by their rows. */
	private readonly lanes: Arrow[][] = [];
	private readonly byFrom = new Map<number, Arrow>();

	constructor(jumps: Jump[], private readonly most: number) {
		this.arrows = join(jumps);
		for (const arrow of [...this.arrows].sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low))
			this.place(arrow);
		for (const arrow of this.arrows)
			for (const row of arrow.from)
				this.byFrom.set(row, arrow);
		this.count = this.lanes.length;
		this.leftOut = this.arrows.filter(({ lane }) => lane < 0).length;
	}

	private place(arrow: Arrow): void {
		for (let lane = 0; lane < this.most; lane++) {
			const taken = this.lanes[lane] ?? (this.lanes[lane] = []);
			const at = firstBehind(taken, arrow.low);
			if (at < taken.length && taken[at]!.low <= arrow.high)
				continue;
			taken.splice(at, 0, arrow);
			arrow.lane = lane;
			return;
		}
	}

	/** The arrow of the jump in a row, if there is one. */
	of(row: number): Arrow | null {
		return this.byFrom.get(row) ?? null;
	}

	/** What is to be drawn in a row, from the innermost lane on. */
	at(row: number): Part[] {
		const parts: Part[] = [];
		for (const taken of this.lanes) {
			const arrow = taken[firstBehind(taken, row)];
			if (arrow && arrow.low <= row)
				parts.push({ arrow, above: row > arrow.low, below: row < arrow.high, begins: this.byFrom.get(row) === arrow, ends: row === arrow.to });
		}
		return parts;
	}
}

/** The first of them, which overlap nowhere, that does not end before the row. */
function firstBehind(taken: Arrow[], row: number): number {
	let low = 0;
	let high = taken.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (taken[middle]!.high < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function join(jumps: Jump[]): Arrow[] {
	const arrows = new Map<string, Arrow>();
	for (const { from, to } of [...jumps].sort((a, b) => a.from - b.from)) {
		const back = to <= from;
		const key = `${to} ${back}`;
		const arrow = arrows.get(key) ?? { to, back, from: [], low: to, high: to, lane: -1 };
		arrow.from.push(from);
		arrow.low = Math.min(arrow.low, from);
		arrow.high = Math.max(arrow.high, from);
		arrows.set(key, arrow);
	}
	return [...arrows.values()];
}
