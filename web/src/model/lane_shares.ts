// What a row of the timeline shows: of equal parts of a time, which share its threads were in each state.
// Many threads are summed once, over all of the time, and zoomed into only where that is too coarse.
import type { LaneRow } from './lane_rows.ts';
import { STATE_COUNT, type ThreadStates } from './states.ts';

const COARSE = 8192; /* parts of all of the time */
const ENOUGH = 1024; /* of these in sight, they will do */
const MANY = 8; /* threads that are summed once */
const KEPT = 64; /* rows */

interface Window { from: number; to: number }

export class LaneShares {
	private readonly coarse = new Map<string, Float32Array>();
	private readonly sums = new Map<string, { window: Window; parts: number; shares: Float32Array }>();
	private own = new Float32Array(0);

	constructor(private readonly states: ThreadStates, private readonly duration: number) {}

	/** Threads of rows have changed. */
	forget(): void {
		this.coarse.clear();
		this.sums.clear();
	}

	/** STATE_COUNT numbers a part; until the next call. */
	of(row: LaneRow, window: Window, parts: number): Float32Array {
		if (row.threads.length > MANY)
			return this.ofMany(row, window, parts);
		if (this.own.length !== parts * STATE_COUNT)
			this.own = new Float32Array(parts * STATE_COUNT);
		else
			this.own.fill(0);
		for (const thread of row.threads)
			this.states.fill(thread, window.from, window.to, parts, this.own);
		return this.own;
	}

	private ofMany(row: LaneRow, window: Window, parts: number): Float32Array {
		const known = this.sums.get(row.key);
		if (known && known.parts === parts && known.window.from === window.from && known.window.to === window.to)
			return known.shares;
		const shares = ((window.to - window.from) / this.duration) * COARSE >= ENOUGH ? this.fromCoarse(row, window, parts) : this.sum(row, window, parts);
		if (this.sums.size >= KEPT)
			this.sums.clear();
		this.sums.set(row.key, { window: { ...window }, parts, shares });
		return shares;
	}

	private sum(row: LaneRow, window: Window, parts: number): Float32Array {
		const shares = new Float32Array(parts * STATE_COUNT);
		for (const thread of row.threads)
			this.states.fill(thread, window.from, window.to, parts, shares);
		return shares;
	}

	private fromCoarse(row: LaneRow, window: Window, parts: number): Float32Array {
		let all = this.coarse.get(row.key);
		if (!all) {
			if (this.coarse.size >= KEPT)
				this.coarse.clear();
			all = this.sum(row, { from: 0, to: this.duration }, COARSE);
			this.coarse.set(row.key, all);
		}
		const shares = new Float32Array(parts * STATE_COUNT);
		const first = (window.from / this.duration) * COARSE;
		const step = (((window.to - window.from) / this.duration) * COARSE) / parts;
		for (let part = 0; part < parts; part++) {
			const begin = first + part * step;
			const end = begin + step;
			for (let bin = Math.floor(begin); bin < end && bin < COARSE; bin++) {
				const weight = (Math.min(end, bin + 1) - Math.max(begin, bin)) / step;
				for (let state = 0; state < STATE_COUNT; state++)
					shares[part * STATE_COUNT + state]! += all[bin * STATE_COUNT + state]! * weight;
			}
		}
		return shares;
	}
}
