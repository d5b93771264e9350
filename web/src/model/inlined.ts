// The rows of source as a tree: what was inlined stands below its line, and can be closed. What lies in
// headers of run-time libraries is closed at first: nobody who reads the code can change it.
import type { LineRow } from './links.ts';

const SYSTEM = /^\/(?:usr\/(?:local\/)?include|usr\/lib|rustc)\/|\/include\/c\+\+\//;

export class InlinedRows {
	/** -1: none. */
	private readonly parents: Int32Array;
	private readonly open: Uint8Array;
	private readonly hasBelow: Uint8Array;

	constructor(private readonly rows: LineRow[]) {
		this.parents = new Int32Array(rows.length).fill(-1);
		this.open = new Uint8Array(rows.length);
		this.hasBelow = new Uint8Array(rows.length);
		const above: number[] = [];
		rows.forEach(({ source, level }, row) => {
			above.length = Math.min(level, above.length);
			const parent = above.at(-1) ?? -1;
			above.push(row);
			this.parents[row] = parent;
			if (parent < 0)
				return;
			this.hasBelow[parent] = 1;
			if (!SYSTEM.test(source))
				this.open[parent] = 1;
		});
	}

	level(row: number): number {
		return this.rows[row]!.level;
	}

	/** null: nothing was inlined there. */
	expanded(row: number): boolean | null {
		return this.hasBelow[row] ? this.open[row] === 1 : null;
	}

	toggle(row: number, open: boolean): void {
		this.open[row] = open ? 1 : 0;
	}

	parentOf(row: number): number {
		return this.parents[row]!;
	}

	isShown(row: number): boolean {
		for (let at = this.parents[row]!; at >= 0; at = this.parents[at]!)
			if (!this.open[at])
				return false;
		return true;
	}

	/** The rows that stand for a row while it is closed: itself, and all that is inlined there. */
	standsFor(row: number): number[] {
		const rows = [row];
		if (this.expanded(row) === false)
			for (let below = row + 1; below < this.rows.length && this.level(below) > this.level(row); below++)
				rows.push(below);
		return rows;
	}

	/** The rows that are shown, in their order. */
	list(): number[] {
		const shown: number[] = [];
		let hidden = Infinity; /* what is deeper than this is not shown */
		this.rows.forEach(({ level }, row) => {
			if (level > hidden)
				return;
			hidden = this.hasBelow[row] && !this.open[row] ? level : Infinity;
			shown.push(row);
		});
		return shown;
	}
}
