// Rows of a table as a tree: each below the nearest of its ancestors that is shown, siblings sorted.
import type { TreeRows } from './grid.ts';

type Key = number | string | null;

export class SiblingRows implements TreeRows {
	private readonly closed = new Set<number>();
	private readonly parents = new Map<number, number>();
	private readonly children = new Map<number, number[]>();
	private readonly levels = new Map<number, number>();

	constructor(private readonly onToggle: () => void) {}

	level(row: number): number {
		return this.levels.get(row) ?? 0;
	}

	expanded(row: number): boolean | null {
		return this.children.has(row) ? !this.closed.has(row) : null;
	}

	toggle(row: number, open: boolean): void {
		if (open)
			this.closed.delete(row);
		else
			this.closed.add(row);
		this.onToggle();
	}

	parentOf(row: number): number {
		return this.parents.get(row) ?? -1;
	}

	/** The rows in the order they are shown in; `parentOf` has no cycles, -1: none. */
	list(rows: number[], parentOf: (row: number) => number, keyOf: (row: number) => Key, descending: boolean): number[] {
		const shown = new Set(rows);
		const roots: number[] = [];
		for (const map of [this.parents, this.children, this.levels])
			map.clear();
		for (const row of rows) {
			let parent = parentOf(row);
			while (parent >= 0 && !shown.has(parent))
				parent = parentOf(parent);
			this.parents.set(row, parent);
			if (parent < 0)
				roots.push(row);
			else if (!this.children.get(parent)?.push(row))
				this.children.set(parent, [row]);
		}
		const sign = descending ? -1 : 1;
		const compare = (a: number, b: number) => {
			const [x, y] = [keyOf(a), keyOf(b)];
			if (x === null || y === null)
				return (x === null ? 1 : 0) - (y === null ? 1 : 0) || a - b;
			return x === y ? a - b : x < y ? -sign : sign;
		};
		const order: number[] = [];
		const stack: [row: number, level: number][] = [];
		const push = (siblings: number[], level: number) => siblings.sort(compare).reverse().forEach((row) => stack.push([row, level]));
		push(roots, 0);
		while (stack.length) {
			const [row, level] = stack.pop()!;
			order.push(row);
			this.levels.set(row, level);
			if (!this.closed.has(row))
				push(this.children.get(row) ?? [], level + 1);
		}
		return order;
	}
}
