// A profile: what its numbers are about (functions, modules, threads), its tables, its call tree,
// and the measures that the views show.
import { Data, type ColumnInfo, type Header } from './data.ts';
import type { Places } from './links.ts';
import { ThreadStates } from './states.ts';
import { CallTree } from './tree.ts';
import { CallTimes, hasCallTimes } from './call_times.ts';
import { hasWaitTree, readWaitTree } from './wait_frames.ts';
import { Wakers } from './wakers.ts';

/** One of the values that functions and call paths have: a quantity, inclusive or exclusive. */
export interface Measure {
	/** Column of the tables. */
	key: string;
	percentKey: string;
	title: string;
	quantity: number;
	inclusive: boolean;
}

export interface Table {
	name: string;
	rows: number;
	columns: ColumnInfo[];
	/** What the rows are about: numbers of functions and so on, -1 for none. */
	subject: Record<'function' | 'module' | 'thread' | 'process', Int32Array>;
	/** A cell as it is sorted: null where there is no value. */
	value(column: ColumnInfo, row: number): number | string | null;
}

export interface Thread { name: string; tid: number; process: number; selected: boolean; begin: number; end: number }

/** Zigzag, stored plus one. */
const signedOf = (stored: number): number => ((stored - 1) % 2 ? -stored / 2 : (stored - 1) / 2);
const lessOne = (numbers: Int32Array): Int32Array => numbers.map((n) => n - 1);

export class Profile {
	readonly header: Header;
	readonly functionNames: string[];
	readonly functionModules: Int32Array;
	/* These two only where profiles are compared. */
	private readonly functionBuilds: string[];
	private readonly functionAddresses: Float64Array;
	readonly moduleNames: string[];
	readonly modulePaths: string[];
	readonly moduleSystem: Uint8Array;
	readonly processes: { name: string; pid: number }[];
	readonly threads: Thread[];
	readonly measures: Measure[] = [];
	readonly tree: CallTree;
	private readonly tables = new Map<string, Table>();
	private placesRead: Places | null = null;
	private byName: Map<string, number> | null = null;
	private withCode: number[] | null = null;
	private threadOs: Float64Array[] | null = null;
	private statesRead: ThreadStates | null = null;
	private waitTreeRead: CallTree | null = null;
	private wakersRead: Wakers | null = null;
	private callTimesRead: CallTimes | null = null;
	private times: { bin: Int32Array; node: Int32Array; values: Float64Array[] } | null = null;

	constructor(readonly data: Data) {
		const texts = (name: string) => Array.from(data.indexes(name), (n) => data.text(n));
		this.header = data.header;
		this.functionNames = texts('function.name');
		this.functionModules = data.indexes('function.module');
		this.functionBuilds = texts('function.build');
		this.functionAddresses = data.numbers('function.address');
		data.numbers('function.twin').forEach((address, i) => {
			if (address)
				this.functionNames[i] += ` @${address.toString(16)}`;
		});
		this.moduleNames = texts('module.name');
		this.modulePaths = texts('module.path');
		this.moduleSystem = Uint8Array.from(data.numbers('module.system'));
		const pids = data.numbers('process.pid');
		this.processes = texts('process.name').map((name, i) => ({ name, pid: pids[i]! }));
		this.threads = this.readThreads(texts('thread.name'));
		this.header.quantities.forEach((quantity, i) => {
			this.measures.push(
				{ key: quantity.inclusive, percentKey: quantity.inclusive_percent, title: `${quantity.title} inclusive`, quantity: i, inclusive: true },
				{ key: quantity.exclusive, percentKey: quantity.exclusive_percent, title: `${quantity.title} exclusive`, quantity: i, inclusive: false });
		});
		this.tree = CallTree.read(data);
	}

	/** What is shown first, and ranked by. */
	get ranking(): Measure {
		return this.measures[2 * this.header.ranking]!;
	}

	/** Whether the thread waited, rather than ran. */
	isWait(cause: string): boolean {
		return cause === 'blocked' || cause === 'preempted';
	}

	/** OS time in ticks, by cause, then by thread. */
	osByThread(): Float64Array[] {
		this.threadOs ??= this.header.causes.map((cause) => this.data.numbers(`thread.os.${cause}`));
		return this.threadOs;
	}

	causeTitle(cause: string): string {
		const words = this.header.cause_titles[cause] ?? cause;
		return words.charAt(0).toUpperCase() + words.slice(1);
	}

	/** `kind`: '' or '-soft', see style.css. */
	causeColor(cause: string, kind = ''): string {
		return `var(--cause-${Object.keys(this.header.cause_titles).indexOf(cause) + 1}${kind})`;
	}

	/** Parts of the timeline. */
	get bins(): number {
		return this.data.countOf('timeline.samples') || 1;
	}

	/** Whether it is known of each call path when its samples were taken. */
	get hasTimes(): boolean {
		return this.data.countOf('times.bin') > 0;
	}

	/** Whether it is known of any thread when it waited. */
	get hasStates(): boolean {
		return this.data.countOf('states.signs') > 0;
	}

	/** What threads did over time; only where that is known. */
	get states(): ThreadStates {
		this.statesRead ??= new ThreadStates(this.data, this.threads.map(({ begin }) => begin));
		return this.statesRead;
	}

	/** The call paths with the samples of these parts of the timeline, the last one included. */
	treeOf(from: number, to: number): CallTree {
		this.times ??= {
			bin: this.data.indexes('times.bin'), node: this.data.indexes('times.path'),
			values: this.header.quantities.map(({ name }) => this.data.numbers(`times.${name}`)),
		};
		const { bin, node, values } = this.times;
		const exclusive = values.map(() => new Float64Array(this.tree.count));
		for (let i = 0; i < bin.length; i++)
			if (bin[i]! >= from && bin[i]! <= to)
				values.forEach((column, q) => (exclusive[q]![node[i]!]! += column[i]!));
		return this.tree.withValues(exclusive);
	}

	/** When calls were; null where that is not known. */
	get callTimes(): CallTimes | null {
		if (!this.callTimesRead && hasCallTimes(this.data))
			this.callTimesRead = new CallTimes(this.data);
		return this.callTimesRead;
	}

	/** Marks in the order of time; thread -1: of no thread. */
	get marks(): { ticks: number; title: string; thread: number }[] {
		const table = this.table('marks');
		const column = (name: string) => table?.columns.find((candidate) => candidate.name === name);
		const [time, mark, name] = [column('time'), column('mark'), column('name')];
		if (!table || !time || !mark)
			return [];
		return Array.from({ length: table.rows }, (_, row) => ({
			ticks: (Number(table.value(time, row)) * this.header.ticks_per_second) / 1e9,
			title: (name && table.value(name, row)) ? String(table.value(name, row)) : `mark ${table.value(mark, row)}`,
			thread: table.subject.thread[row]!,
		})).sort((a, b) => a.ticks - b.ticks);
	}

	/** Whether work and waits were sampled together. */
	get hasWaits(): boolean {
		return hasWaitTree(this.data);
	}

	/** Work and waits in one tree; only where there are both. */
	get waitTree(): CallTree {
		this.waitTreeRead ??= readWaitTree(this.data);
		return this.waitTreeRead;
	}

	/** Who ended waits; only where there is a table of them. */
	get wakers(): Wakers {
		this.wakersRead ??= new Wakers(this);
		return this.wakersRead;
	}

	private readThreads(names: string[]): Thread[] {
		const [tid, process, selected, begin, end] = ['tid', 'process', 'selected', 'begin', 'end']
			.map((name) => this.data.numbers(`thread.${name}`)) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
		return names.map((name, i) => ({
			name, tid: tid[i]!, process: process[i]!, selected: selected[i] === 1, begin: begin[i]!, end: end[i]!,
		}));
	}

	get functionCount(): number {
		return this.functionNames.length;
	}

	moduleOf(func: number): string {
		return func < 0 ? '' : this.moduleNames[this.functionModules[func]!]!;
	}

	/** The only function of that name; -1: there is none, or there are several. */
	functionNamed(name: string): number {
		this.byName ??= new Map();
		if (!this.byName.size)
			this.functionNames.forEach((known, i) => this.byName!.set(known, this.byName!.has(known) ? -1 : i));
		return this.byName.get(name) ?? -1;
	}

	/** Functions whose source or instructions are in the page, the hottest first. */
	get functionsWithCode(): number[] {
		this.withCode ??= [...new Set(this.header.tables.filter(({ name }) => /^(?:assembly|source):/.test(name)).map(({ name }) => Number(name.split(':')[1])))];
		return this.withCode;
	}

	/** Lines of instructions, see links.ts. */
	get places(): Places {
		if (!this.placesRead) {
			const sources = this.data.indexes('place.source');
			this.placesRead = { outer: this.data.indexes('place.outer'), line: this.data.indexes('place.line'), source: (place) => this.data.text(sources[place - 1]!) };
		}
		return this.placesRead;
	}

	/** "file.c:12, inlined at main.c:30"; empty where no line is known. */
	placeText(place: number): string {
		const parts: string[] = [];
		for (let at = place; at; at = this.places.outer[at - 1]!)
			parts.push(`${this.places.source(at).split('/').at(-1)}:${this.places.line[at - 1]}`);
		return parts.join(', inlined at ');
	}

	/** Where a function lies in a file, if that is known: the same in another profile, under whatever name. */
	place(func: number): string {
		const build = this.functionBuilds[func] ?? '';
		return build && `${build} ${this.functionAddresses[func]}`;
	}

	/** What a function is known by in another profile. */
	identity(func: number): string {
		return `${this.moduleOf(func)}\0${this.functionNames[func]}`;
	}

	threadTitle(thread: number): string {
		return `${this.threads[thread]!.name || '?'} (${this.threads[thread]!.tid})`;
	}

	processTitle(process: number): string {
		return `${this.processes[process]!.name || '?'} (${this.processes[process]!.pid})`;
	}

	/** Whether call paths have numbers of calls. */
	get hasCalls(): boolean {
		return this.header.quantities[0]!.unit === 'ticks';
	}

	/** A value of a quantity in ns, where it is a time; else as it is. */
	plain(value: number, quantity: number): number {
		return this.header.quantities[quantity]!.unit === 'ticks' ? this.ns(value) : value;
	}

	ns(ticks: number): number {
		return Math.round((ticks * 1e9) / this.header.ticks_per_second);
	}

	table(name: string): Table | null {
		const known = this.tables.get(name);
		const info = this.header.tables.find((table) => table.name === name);
		if (known || !info)
			return known ?? null;
		const columns = new Map<string, Float64Array>();
		const table: Table = {
			name, rows: info.rows, columns: info.columns.map((column) => this.withUnit(column)),
			subject: {
				function: lessOne(this.data.indexes(`${name}.#function`)),
				module: lessOne(this.data.indexes(`${name}.#module`)),
				thread: lessOne(this.data.indexes(`${name}.#thread`)),
				process: lessOne(this.data.indexes(`${name}.#process`)),
			},
			value: (column, row) => {
				let numbers = columns.get(column.name);
				if (!numbers) {
					numbers = this.data.numbers(`${name}.${column.name}`);
					columns.set(column.name, numbers);
				}
				return this.cell(column, numbers[row]!);
			},
		};
		this.tables.set(name, table);
		return table;
	}

	/** What samples stand for may be a time. */
	private withUnit(column: ColumnInfo): ColumnInfo {
		const weight = this.header.quantities.find((quantity) => quantity.name === 'weight');
		return weight?.unit === 'ns' && column.name.endsWith('_weight') ? { ...column, type: 'time' } : column;
	}

	/** Numbers are stored plus one: 0 is a cell without value. */
	private cell(column: ColumnInfo, stored: number): number | string | null {
		if (!stored)
			return null;
		switch (column.type) {
		case 'text':
		case 'address':
			return this.data.text(stored);
		case 'percent':
			return (stored - 1) / 1e4;
		case 'signed':
			return signedOf(stored);
		case 'signed_percent':
			return signedOf(stored) / 1e4;
		default:
			return stored - 1;
		}
	}
}
