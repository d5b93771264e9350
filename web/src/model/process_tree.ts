// Which process made which: a profile has the numbers of parents, and a number may be that of several
// processes, one after the other, or of one that began anew with exec.
import type { Profile, Table } from './profile.ts';

/** By row of the table of processes, the row of the one that made it; -1: it is not there. Of several the last one that began before. */
export function parentProcess(profile: Pick<Profile, 'processes'>, table: Table): (row: number) => number {
	const column = (name: string) => table.columns.find((candidate) => candidate.name === name)!;
	const beginOf = (row: number) => Number(table.value(column('begin'), row) ?? 0);
	const byPid = new Map<number, number[]>();
	for (let row = 0; row < table.rows; row++) {
		const { pid } = profile.processes[table.subject.process[row]!]!;
		if (!byPid.get(pid)?.push(row))
			byPid.set(pid, [row]);
	}
	return (row) => {
		const before = (byPid.get(Number(table.value(column('parent_pid'), row) ?? -1)) ?? [])
			.filter((candidate) => beginOf(candidate) < beginOf(row) || (beginOf(candidate) === beginOf(row) && candidate < row));
		return before.reduce((last, candidate) => (last < 0 || beginOf(candidate) > beginOf(last) ? candidate : last), -1);
	};
}
