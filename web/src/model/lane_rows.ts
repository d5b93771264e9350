// Rows of the timeline: processes, below them threads, and those of one name together. Rows that
// stand for several threads can be folded.
import { plural } from '../format.ts';
import type { Profile } from './profile.ts';

export interface LaneRow {
	/** What it is folded by; '' of a thread. */
	key: string;
	title: string;
	level: number;
	threads: number[];
	/** Of rows that stand for several threads: whether these are shown below. */
	open: boolean;
}

const MANY_THREADS = 48; /* more than these begin folded */
const MANY_PROCESSES = 16;

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
					this.rows.push({ key: '', title: profile.threadTitle(thread), level: level + (members.length > 1 ? 1 : 0), threads: [thread], open: false });
		}
	}

	private push(key: string, title: string, level: number, threads: number[], folded: boolean): boolean {
		const open = folded === this.turned.has(key);
		this.rows.push({ key, title, level, threads, open });
		return open;
	}
}
