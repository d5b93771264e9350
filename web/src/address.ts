// The state in the page's address, behind #: what is shared by copying it, and what the browser's
// back and forward buttons go through. What is as it was in the beginning is left out.
import type { Choices, State } from './state.ts';
import { PLAIN, type Shape } from './model/shape.ts';

const KEYS = new Set(['f', 'v', 'q', 'threads', 'modules', 'time', 'my', 'recursion', 'root']);

/** 0,1,2,7 as "0-2,7". */
export function rangesOf(numbers: Iterable<number>): string {
	const sorted = [...numbers].sort((a, b) => a - b);
	const parts: string[] = [];
	for (let i = 0; i < sorted.length;) {
		let end = i;
		while (end + 1 < sorted.length && sorted[end + 1] === sorted[end]! + 1)
			end++;
		parts.push(end > i ? `${sorted[i]}-${sorted[end]}` : `${sorted[i]}`);
		i = end + 1;
	}
	return parts.join(',');
}

/** Those below `bound`; null where the text names none. */
export function numbersOf(text: string, bound: number): Set<number> | null {
	const numbers = new Set<number>();
	for (const part of text.split(',')) {
		const match = /^(\d+)(?:-(\d+))?$/.exec(part);
		for (let n = Number(match?.[1] ?? bound); n <= Number(match?.[2] ?? match?.[1]) && n < bound; n++)
			numbers.add(n);
	}
	return numbers.size ? numbers : null;
}

export function writeAddress(state: State): string {
	const parts = new URLSearchParams();
	const put = (key: string, value: string | false) => value && parts.set(key, value);
	const { shape, bins } = state;
	put('f', state.selected !== state.busiest && String(state.selected));
	put('v', state.measure !== state.profile.ranking && state.measure.key);
	put('q', state.query);
	put('threads', !!state.threads && (rangesOf(state.threads) || 'none'));
	put('modules', !!state.modules && (rangesOf(state.modules) || 'none'));
	put('time', !!bins && `${bins.from}-${bins.to}`);
	put('my', shape.myCode && '1');
	put('recursion', shape.foldRecursion && '1');
	put('root', !!shape.root && `${shape.root.anywhere ? 'f' : 'p'}${shape.root.path.join('.')}`);
	for (const [key, value] of Object.entries(state.choices))
		put(key, value);
	const text = parts.toString();
	return `#${state.view}${text ? `&${text}` : ''}`;
}

function readRoot(text: string | null, functions: number): Shape['root'] {
	const match = /^([fp])(\d+(?:\.\d+)*)$/.exec(text ?? '');
	const path = match ? match[2]!.split('.').map(Number) : [];
	return match && path.every((func) => func < functions) ? { path, anywhere: match[1] === 'f' } : null;
}

/** Listeners are told of a filter, once; views have to be shown anew. */
export function readAddress(state: State, hash: string): void {
	const [view, ...rest] = hash.replace(/^#/, '').split('&');
	const parts = new URLSearchParams(rest.join('&'));
	const { profile } = state;
	const set = (key: string, bound: number) => (parts.get(key) === 'none' ? new Set<number>() : numbersOf(parts.get(key) ?? '', bound));
	const time = /^(\d+)-(\d+)$/.exec(parts.get('time') ?? '');
	const func = Number(parts.get('f') ?? NaN);
	const choices: Choices = {};
	for (const [key, value] of parts)
		if (!KEYS.has(key))
			choices[key] = value;
	state.view = view || 'summary';
	state.choices = choices;
	state.selected = Number.isInteger(func) && func >= -1 && func < profile.functionCount ? func : state.busiest;
	state.measure = profile.measures.find(({ key }) => key === parts.get('v')) ?? profile.ranking;
	state.query = parts.get('q') ?? '';
	state.shape = { ...PLAIN, myCode: parts.get('my') === '1', foldRecursion: parts.get('recursion') === '1', root: readRoot(parts.get('root'), profile.functionCount) };
	state.filter({
		threads: set('threads', profile.threads.length), modules: set('modules', profile.moduleNames.length),
		bins: time && profile.hasTimes ? { from: Number(time[1]), to: Number(time[2]) } : null,
	}, 'passing');
}

/** Keeps the browser's history; typing and moving through rows replace the last entry. */
export class Address {
	/** Of what has passed, not written yet: browsers allow few changes a second. */
	private pending: string | null = null;
	private timer = 0;

	constructor(private readonly state: State, private readonly onMove: () => void) {
		addEventListener('popstate', () => {
			this.pending = null;
			this.onMove();
		});
		state.onChange((change, step) => {
			if (change !== 'theme')
				this.write(step === 'step');
		});
	}

	private write(push: boolean): void {
		clearTimeout(this.timer);
		if (push)
			this.settle();
		this.pending = writeAddress(this.state);
		if (!push)
			this.timer = window.setTimeout(() => this.settle(), 200);
		else if (this.pending !== location.hash)
			history.pushState(null, '', this.pending);
		this.pending = push ? null : this.pending;
	}

	private settle(): void {
		if (this.pending !== null && this.pending !== location.hash)
			history.replaceState(null, '', this.pending);
		this.pending = null;
	}
}
