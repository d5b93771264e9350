// What the user looks at: shared by all views, which follow its changes.
import { Selection } from './model/selection.ts';
import { makeFrames, type Frames, type FramesKind } from './model/frames.ts';
import type { Measure, Profile } from './model/profile.ts';

export type Change = 'measure' | 'filter' | 'selected' | 'query' | 'theme' | 'view';

export class State {
	measure: Measure;
	selection: Selection;
	/** The threads that are left; null: all. */
	threads: ReadonlySet<number> | null = null;
	/** Modules that are shown; null: all. */
	modules: ReadonlySet<number> | null = null;
	selected = -1;
	query = '';
	view = 'summary';
	private readonly baseSelection: Selection | null;
	private readonly listeners = new Set<(change: Change) => void>();
	private readonly frameCache = new Map<FramesKind, Frames>();
	private baseFrameCache: Frames | null = null;

	constructor(readonly profile: Profile, readonly base: Profile | null) {
		this.measure = profile.measures[0]!;
		this.selection = new Selection(profile, null);
		this.selected = this.busiest();
		this.baseSelection = base ? new Selection(base, null) : null;
	}

	/** The function with most individual work: where to begin. */
	private busiest(): number {
		const work = this.selection.functions().exclusive[0]!;
		let best = -1;
		for (let i = 0; i < work.length; i++)
			if (work[i]! > (best < 0 ? 0 : work[best]!))
				best = i;
		return best;
	}

	onChange(listener: (change: Change) => void): void {
		this.listeners.add(listener);
	}

	set<K extends 'measure' | 'selected' | 'query' | 'view'>(key: K, value: State[K]): void {
		if (this[key] === value)
			return;
		(this as State)[key] = value;
		this.tell(key);
	}

	filterThreads(threads: ReadonlySet<number> | null): void {
		this.threads = threads;
		this.selection = new Selection(this.profile, threads);
		this.frameCache.clear();
		this.tell('filter');
	}

	filterModules(modules: ReadonlySet<number> | null): void {
		this.modules = modules;
		this.tell('filter');
	}

	tell(change: Change): void {
		for (const listener of this.listeners)
			listener(change);
	}

	showsFunction(func: number): boolean {
		return !this.modules || (func >= 0 && this.modules.has(this.profile.functionModules[func]!));
	}

	frames(kind: FramesKind): Frames {
		let frames = this.frameCache.get(kind);
		if (!frames) {
			frames = makeFrames(this.selection, kind);
			this.frameCache.set(kind, frames);
		}
		return frames;
	}

	/** What a comparison is with; only where there is a base. */
	baseOf(): Selection {
		return this.baseSelection!;
	}

	baseFrames(): Frames {
		this.baseFrameCache ??= makeFrames(this.baseSelection!, 'merged');
		return this.baseFrameCache;
	}

	total(): number {
		return this.selection.totals[this.measure.quantity]!;
	}

	valueOf(func: number): number {
		return this.selection.of(func, this.measure.quantity, this.measure.inclusive);
	}

	/** In ns, where the quantity is a time; else as it is. */
	plain(value: number, quantity = this.measure.quantity): number {
		return this.profile.plain(value, quantity);
	}
}
