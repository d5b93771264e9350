// Which instructions a line has, and which lines an instruction stands for. A row of source is a line
// by the path of lines that it was inlined through; an instruction has the path of its innermost
// line, of which the source may show the outer part only.

export interface LineRow { source: string; line: number; level: number }

/** Lines by the places where they were inlined; numbers count from 1, 0 is none. */
export interface Places {
	outer: ArrayLike<number>;
	line: ArrayLike<number>;
	source(place: number): string;
}

export class Links {
	/** By instruction: its rows of source, the outermost first. */
	private readonly lines: (readonly number[])[];
	private readonly instructions = new Map<number, number[]>();

	constructor(rows: LineRow[], places: Places, placeOf: ArrayLike<number>) {
		const rowOf = pathsOf(rows);
		const known = new Map<number, { path: string; rows: readonly number[] }>();
		const resolve = (place: number): { path: string; rows: readonly number[] } => {
			const before = known.get(place);
			if (before || !place)
				return before ?? { path: '', rows: [] };
			const outer = resolve(places.outer[place - 1]!);
			const path = pathOf(outer.path, places.source(place), places.line[place - 1]!);
			const row = rowOf.get(path);
			const found = { path, rows: row === undefined ? outer.rows : [...outer.rows, row] };
			known.set(place, found);
			return found;
		};
		this.lines = Array.from(placeOf, (place) => resolve(place).rows);
		this.lines.forEach((list, instruction) => {
			for (const row of list) {
				const all = this.instructions.get(row);
				if (all)
					all.push(instruction);
				else
					this.instructions.set(row, [instruction]);
			}
		});
	}

	/** The rows of source that an instruction stands for: the function's own line, then what was inlined there. */
	linesOf(instruction: number): readonly number[] {
		return this.lines[instruction] ?? [];
	}

	/** Ascending. */
	instructionsOf(row: number): readonly number[] {
		return this.instructions.get(row) ?? [];
	}
}

const pathOf = (outer: string, source: string, line: number): string => `${outer}\n${source}:${line}`;

/** A row that is deeper than the one before it was inlined there. */
function pathsOf(rows: LineRow[]): Map<string, number> {
	const rowOf = new Map<string, number>();
	const above: string[] = [];
	rows.forEach(({ source, line, level }, row) => {
		above.length = Math.min(level, above.length);
		const path = pathOf(above.at(-1) ?? '', source, line);
		above.push(path);
		if (line && !rowOf.has(path))
			rowOf.set(path, row);
	});
	return rowOf;
}
