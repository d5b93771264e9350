// What the user looks at: shared by all views, which follow its changes.
import { Selection, type Bins } from './model/selection.ts';
import { makeFrames, type Frames, type FramesKind } from './model/frames.ts';
import { hiddenNodes, isPlain, PLAIN, shapeTree, type Shape } from './model/shape.ts';
import type { Measure, Profile } from './model/profile.ts';
import { WaitFrames } from './model/wait_frames.ts';

export type Change = 'measure' | 'filter' | 'shape' | 'selected' | 'query' | 'theme' | 'view';
/** Whether a change is one that the browser's back button undoes. */
export type Step = 'step' | 'passing';

/** A line or the address of an instruction. */
export interface Place { source?: string; line?: number; address?: string }

/** Choices of views that are part of the address: the kind of tree, what is zoomed to. */
export type Choices = Record<string, string>;

export class State {
	measure: Measure;
	selection: Selection;
	/** The threads that are left; null: all. */
	threads: ReadonlySet<number> | null = null;
	/** Parts of the timeline that are left; null: all. */
	bins: Bins | null = null;
	/** Modules that are shown; null: all. */
	modules: ReadonlySet<number> | null = null;
	shape: Shape = PLAIN;
	selected = -1;
	query = '';
	view = 'summary';
	choices: Choices = {};
	/** A place of the selected function's code that is to be shown next; null: none in particular. */
	place: Place | null = null;
	readonly busiest: number;
	private readonly baseSelection: Selection | null;
	private readonly listeners = new Set<(change: Change, step: Step) => void>();
	private readonly frameCache = new Map<FramesKind, Frames>();
	private baseFrameCache: Frames | null = null;
	private waitFrameCache: WaitFrames | null = null;
	private mine: Uint8Array | null = null;

	constructor(readonly profile: Profile, readonly base: Profile | null) {
		this.measure = profile.ranking;
		this.selection = new Selection(profile, null);
		this.busiest = this.selected = this.findBusiest();
		this.baseSelection = base ? new Selection(base, null) : null;
	}

	/** The function with most individual work: where to begin. */
	private findBusiest(): number {
		const work = this.selection.functions().exclusive[this.profile.header.ranking]!;
		let best = -1;
		for (let i = 0; i < work.length; i++)
			if (work[i]! > (best < 0 ? 0 : work[best]!))
				best = i;
		return best;
	}

	onChange(listener: (change: Change, step: Step) => void): void {
		this.listeners.add(listener);
	}

	set<K extends 'measure' | 'selected' | 'query' | 'view'>(key: K, value: State[K], step?: Step): void {
		if (this[key] === value)
			return;
		(this as State)[key] = value;
		this.tell(key, step ?? (key === 'selected' || key === 'query' ? 'passing' : 'step'));
	}

	/** A choice of a view; what is empty is left out of the address. */
	choose(key: string, value: string, step: Step = 'passing'): void {
		if ((this.choices[key] ?? '') === value)
			return;
		this.choices = { ...this.choices, [key]: value };
		this.tell('view', step);
	}

	/** What is undefined stays as it is. */
	filter(parts: { threads?: ReadonlySet<number> | null; bins?: Bins | null; modules?: ReadonlySet<number> | null }, step: Step = 'step'): void {
		if (parts.modules !== undefined)
			this.modules = parts.modules;
		if (parts.threads !== undefined || parts.bins !== undefined) {
			this.threads = parts.threads !== undefined ? parts.threads : this.threads;
			this.bins = parts.bins !== undefined ? parts.bins : this.bins;
			this.selection = new Selection(this.profile, this.threads, this.bins);
			this.forgetFrames();
		}
		this.tell('filter', step);
	}

	reshape(parts: Partial<Shape>): void {
		this.shape = { ...this.shape, ...parts };
		/* What is a call path changes with what is left out. */
		const { root } = this.shape;
		if (root && !root.anywhere && 'myCode' in parts)
			this.shape.root = { path: [root.path.at(-1)!], anywhere: true };
		this.forgetFrames();
		this.tell('shape');
	}

	private forgetFrames(): void {
		this.frameCache.clear();
		this.baseFrameCache = null;
		this.waitFrameCache = null;
		this.mine = null;
	}

	tell(change: Change, step: Step = 'step'): void {
		for (const listener of this.listeners)
			listener(change, step);
	}

	showsFunction(func: number): boolean {
		return (!this.modules || (func >= 0 && this.modules.has(this.profile.functionModules[func]!))) && this.isMine(func);
	}

	/** Of my code, or its caller or callee; all are while the switch is off. */
	private isMine(func: number): boolean {
		if (!this.shape.myCode || func < 0)
			return true;
		if (!this.mine) {
			const { tree } = this.selection;
			const hidden = hiddenNodes(this.profile, tree);
			this.mine = new Uint8Array(this.profile.functionCount);
			for (let i = 0; i < tree.count; i++)
				if (tree.func[i]! >= 0 && !hidden[i])
					this.mine[tree.func[i]!] = 1;
		}
		return this.mine[func] === 1;
	}

	frames(kind: FramesKind): Frames {
		let frames = this.frameCache.get(kind);
		if (!frames) {
			frames = makeFrames(this.selection, kind, this.shape);
			this.frameCache.set(kind, frames);
		}
		return frames;
	}

	/** Work and waits; only where the profile has both. */
	waitFrames(): WaitFrames {
		this.waitFrameCache ??= new WaitFrames(this.selection, shapeTree(this.profile, this.profile.waitTree, this.shape));
		return this.waitFrameCache;
	}

	/** What a comparison is with; only where there is a base. */
	baseOf(): Selection {
		return this.baseSelection!;
	}

	/** Of the base, in the same shape; `inBase` has its functions by those of the profile. */
	baseFrames(inBase: Int32Array): Frames {
		const root = this.shape.root && { ...this.shape.root, path: this.shape.root.path.map((func) => inBase[func]!) };
		this.baseFrameCache ??= makeFrames(this.baseSelection!, 'merged', isPlain(this.shape) ? PLAIN : { ...this.shape, root });
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
