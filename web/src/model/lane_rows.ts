// Rows of the timeline: processes, below them threads, and those of one name together; below a thread
// its calls, where it is known when they were. Rows that others stand below can be folded.
import { plural } from '../format.ts';
import type { Profile } from './profile.ts';

export interface LaneRow {
	/** States of several threads, states of one, or its calls. */
	kind: 'group' | 'thread' | 'calls';
	/** What it is folded by; '' where nothing stands below. */
	key: string;
	title: string;
	level: number;
	threads: number[];
	/** Whether what stands below is shown. */
	open: boolean;
	/** Of calls: how many callers they have. */
	depth: number;
}

const MANY_THREADS = 48; /* more than these begin folded */
const MANY_PROCESSES = 16;
const MANY_WITH_CALLS = 4; /* threads: with more, calls begin folded */

function grouped<K>(items: number[], keyOf: (item: number) => K): Map<K, number[]> {
	const groups = new Map<K, number[]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group)
			group.push(item);
		else
			groups.set(keyOf(item), [item]);
	}
	return groups;
}

export class LaneRows {
	rows: LaneRow[] = [];
	/** Keys of rows that are not as they were in the beginning. */
	private readonly turned = new Set<string>();
	private threads: number[] = [];

	constructor(private readonly profile: Profile) {}

	/** The threads that are shown, with those first that began first. */
	set(threads: number[]): void {
		const { profile } = this;
		this.threads = [...threads].sort((a, b) => profile.threads[a]!.begin - profile.threads[b]!.begin || a - b);
		this.build();
	}

	toggle(row: LaneRow, open = !row.open): void {
		if (!row.key || open === row.open)
			return;
		if (!this.turned.delete(row.key))
			this.turned.add(row.key);
		this.build();
	}

	/** Whether any row can be folded, and whether any is. */
	get foldable(): boolean {
		return this.rows.some((row) => row.key !== '');
	}

	get anyFolded(): boolean {
		return this.rows.some((row) => row.key && !row.open);
	}

	toggleAll(open: boolean): void {
		for (let i = 0; i < this.rows.length; i++)
			this.toggle(this.rows[i]!, open);
	}

	private build(): void {
		const { profile } = this;
		const processes = grouped(this.threads, (thread) => profile.threads[thread]!.process);
		this.rows = [];
		for (const [process, threads] of processes) {
			const alone = processes.size === 1;
			const open = alone || this.push(`p${process}`, profile.processTitle(process), 0, threads, processes.size > MANY_PROCESSES);
			if (open)
				this.buildNames(process, threads, alone ? 0 : 1);
		}
	}

	private buildNames(process: number, threads: number[], level: number): void {
		const { profile } = this;
		for (const [name, members] of grouped(threads, (thread) => profile.threads[thread]!.name)) {
			const open = members.length === 1 || this.push(`n${process} ${name}`, `${name || '?'} (${plural(members.length, 'thread')})`, level, members, this.threads.length > MANY_THREADS);
			if (open)
				for (const thread of members)
					this.pushThread(thread, level + (members.length > 1 ? 1 : 0));
		}
	}

	private pushThread(thread: number, level: number): void {
		const depths = this.profile.callTimes?.depthOf(thread) ?? 0;
		const open = depths > 0 && (this.threads.length > MANY_WITH_CALLS) === this.turned.has(`t${thread}`);
		this.rows.push({ kind: 'thread', key: depths ? `t${thread}` : '', title: this.profile.threadTitle(thread), level, threads: [thread], open, depth: -1 });
		for (let depth = 0; open && depth < depths; depth++)
			this.rows.push({ kind: 'calls', key: '', title: depth ? `depth ${depth}` : 'calls', level: level + 1, threads: [thread], open: false, depth });
	}

	private push(key: string, title: string, level: number, threads: number[], folded: boolean): boolean {
		const open = folded === this.turned.has(key);
		this.rows.push({ kind: 'group', key, title, level, threads, open, depth: -1 });
		return open;
	}
}
