// The rows of a call tree as they are shown: open nodes with their children, those that are too
// small gathered in a row "… more", frames that only call one another in a row with it.
import { percent, plural } from '../format.ts';
import type { Frames } from '../model/frames.ts';
import type { State } from '../state.ts';

const CHAIN = ' → ';

export interface NoiseOptions {
	quantity: number;
	/** Rows with a smaller inclusive value are left out; 0: none. */
	least: number;
	ascending: boolean;
	/** Frames with a single child that is shown, and less than that by themselves, stand with it; 0: none. */
	fold: number;
	/** Rows that are shown, and by themselves. */
	always(node: number): boolean;
}

/** Rows are nodes; a row "… more" below a node n is -2 - n. */
export class TreeRows {
	readonly open = new Set<number>();
	/** Nodes all of whose children are shown. */
	private readonly whole = new Set<number>();
	private readonly chains = new Map<number, number[]>();
	private readonly levels = new Map<number, number>();
	private readonly parents = new Map<number, number>();
	private readonly rests = new Map<number, number[]>();
	private trimmed = 0;
	private folded = 0;

	constructor(private readonly frames: Frames) {}

	isRest(row: number): boolean {
		return row < -1;
	}

	/** The nodes of a row, the outermost first. */
	chain(row: number): number[] {
		return this.chains.get(row) ?? (this.isRest(row) ? [] : [row]);
	}

	inner(row: number): number {
		return this.chain(row).at(-1) ?? 0;
	}

	level(row: number): number {
		return this.levels.get(row) ?? 0;
	}

	parentOf(row: number): number {
		return this.parents.get(row) ?? 0;
	}

	expanded(row: number): boolean | null {
		if (this.isRest(row))
			return false;
		return this.frames.hasChildren(this.inner(row)) ? this.open.has(row) : null;
	}

	toggle(row: number, open: boolean): void {
		if (this.isRest(row))
			this.whole.add(-2 - row);
		else if (open && this.frames.hasChildren(this.inner(row)))
			this.open.add(row);
		else
			this.chain(row).forEach((node) => this.open.delete(node));
	}

	/** Opens all that a node stands below, and shows it. */
	openTo(node: number): void {
		for (let at = this.frames.parent(node); at >= 0 && !this.open.has(at); at = this.frames.parent(at))
			this.open.add(at);
	}

	exclusive(row: number, quantity: number): number {
		return this.chain(row).reduce((sum, node) => sum + this.frames.value(node, quantity, false), 0);
	}

	label(row: number): string {
		if (this.isRest(row))
			return `… ${plural(this.rests.get(row)?.length ?? 0, 'smaller row')}`;
		return this.chain(row).map((node) => this.frames.label(node)).join(CHAIN);
	}

	/** A cell of a row "… more": what its rows have together. */
	restText(row: number, key: string, state: State, quantity: number): string {
		if (key === 'frame')
			return this.label(row);
		if (key !== 'value')
			return '';
		const total = state.total();
		const sum = (this.rests.get(row) ?? []).reduce((all, node) => all + this.frames.value(node, quantity, true), 0);
		return total ? percent(sum / total) : '–';
	}

	noiseText(share: string): string {
		return [this.trimmed ? `${plural(this.trimmed, 'row')} below ${share} % left out` : '',
			this.folded ? `${plural(this.folded, 'frame')} in a row with a callee` : ''].filter(Boolean).join(', ');
	}

	list(options: NoiseOptions): number[] {
		const rows: number[] = [];
		const stack: [row: number, level: number, parent: number][] = [[0, 0, 0]];
		for (const map of [this.chains, this.levels, this.parents, this.rests])
			map.clear();
		this.trimmed = this.folded = 0;
		while (stack.length) {
			const [row, level, parent] = stack.pop()!;
			rows.push(row);
			this.levels.set(row, level);
			this.parents.set(row, parent);
			if (this.isRest(row))
				continue;
			const chain = this.chainFrom(row, options);
			if (chain.length > 1) {
				this.chains.set(row, chain);
				this.folded += chain.length - 1;
			}
			if (!chain.some((node) => this.open.has(node)))
				continue;
			this.open.add(row);
			const { shown, rest } = this.split(chain.at(-1)!, options);
			const below = options.ascending ? shown.slice().reverse() : shown.slice();
			if (rest.length) {
				this.trimmed += rest.length;
				below.push(-2 - chain.at(-1)!);
				this.rests.set(-2 - chain.at(-1)!, rest);
			}
			while (below.length)
				stack.push([below.pop()!, level + 1, row]);
		}
		return rows;
	}

	private split(node: number, options: NoiseOptions): { shown: number[]; rest: number[] } {
		const children = Array.from(this.frames.children(node, options.quantity));
		if (!options.least || this.whole.has(node))
			return { shown: children, rest: [] };
		const rest = children.filter((child) => this.frames.value(child, options.quantity, true) < options.least && !this.open.has(child) && !options.always(child));
		if (rest.length < 2)
			return { shown: children, rest: [] };
		const left = new Set(rest);
		return { shown: children.filter((child) => !left.has(child)), rest };
	}

	private chainFrom(row: number, options: NoiseOptions): number[] {
		const chain = [row];
		const { frames } = this;
		for (let at = row; options.fold > 0 && frames.func(at) >= 0 && !options.always(at);) {
			const { shown, rest } = this.split(at, options);
			if (shown.length !== 1 || rest.length || frames.value(at, options.quantity, false) >= options.fold || options.always(shown[0]!))
				break;
			at = shown[0]!;
			chain.push(at);
		}
		return chain;
	}
}
