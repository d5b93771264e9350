// Calls over time: those of one thread with as many callers stand in a row, in the order of time.
// docs/development/page.md describes the columns.
import type { Data } from './data.ts';

export const hasCallTimes = (data: Data): boolean => data.countOf('calls.ticks') > 0;

export class CallTimes {
	/** The first row of each thread, and the first call of each row; one more at the end. */
	private readonly rows: Uint32Array;
	private readonly calls: Uint32Array;
	/* by call */
	readonly begin: Float64Array;
	readonly end: Float64Array;
	/** -1: not known */
	readonly func: Int32Array;

	constructor(data: Data) {
		this.rows = sums(data.indexes('calls.rows'));
		this.calls = sums(data.indexes('calls.count'));
		this.begin = data.signed('calls.begin');
		this.end = data.numbers('calls.ticks');
		this.func = data.indexes('calls.function').map((func) => func - 1);
		for (let row = 0; row + 1 < this.calls.length; row++) {
			let time = 0;
			for (let call = this.calls[row]!; call < this.calls[row + 1]!; call++) {
				this.begin[call]! += time;
				this.end[call]! += this.begin[call]!;
				time = this.end[call]!;
			}
		}
	}

	/** How many rows a thread has. */
	depthOf(thread: number): number {
		return this.rows[thread + 1]! - this.rows[thread]!;
	}

	/** The calls of a row, the last one not included. */
	callsOf(thread: number, depth: number): [from: number, to: number] {
		const row = this.rows[thread]! + depth;
		return row < this.rows[thread + 1]! ? [this.calls[row]!, this.calls[row + 1]!] : [0, 0];
	}

	/** The first call of a row that ends behind a time; the row's end where there is none. */
	endsBehind(thread: number, depth: number, time: number): number {
		let [low, high] = this.callsOf(thread, depth);
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.end[middle]! > time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	/** The call that goes on at a time; -1: none. */
	at(thread: number, depth: number, time: number): number {
		const call = this.endsBehind(thread, depth, time);
		return call < this.callsOf(thread, depth)[1] && this.begin[call]! <= time ? call : -1;
	}

	/** Calls of a row within a time, at least `step` apart: what lies closer is not seen. */
	*within(thread: number, depth: number, from: number, to: number, step: number): Generator<number> {
		const [, end] = this.callsOf(thread, depth);
		for (let call = this.endsBehind(thread, depth, from); call < end && this.begin[call]! < to;) {
			yield call;
			const next = Math.max(this.end[call]!, this.begin[call]! + step);
			call = next > this.end[call]! ? Math.max(call + 1, this.endsBehind(thread, depth, next)) : call + 1;
		}
	}
}

function sums(counts: Int32Array): Uint32Array {
	const all = new Uint32Array(counts.length + 1);
	counts.forEach((count, i) => (all[i + 1] = all[i]! + count));
	return all;
}
