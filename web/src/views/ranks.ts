// The ranks of a parallel job: what the time of each went to, which one the others wait for, and how
// evenly functions and calls of MPI are spread over them.
import { h, replace } from '../dom.ts';
import { percent, plural, time } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { barList, type Bar } from '../parts/bars.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';
import { threadsOf } from './frame_actions.ts';
import { TableView, type TableOptions } from './tables.ts';

const SHOWN = 16;
const OF_RANK = ['rank', 'host', 'elapsed_inclusive', 'cpu_inclusive', 'os_blocked', 'mpi', 'mpi_percent', 'work', 'work_percent', 'process'];
const SPREAD = (value: string): string[] => ['calls', 'calling_ranks', `${value}_least`, `${value}_average`, `${value}_most`, `${value}_imbalance_percent`,
	`${value}_most_rank`, `${value}_least_rank`];

const TABLES: TableOptions[] = [
	{ name: 'ranks', title: 'Ranks', one: 'rank', columns: OF_RANK, sort: ['rank'], ascending: true, empty: 'No rank matches.', counts: true,
		onOpen: (context, rows, row) => {
			context.state.filter({ threads: new Set(threadsOf(context.state, rows.subject('process', row))) });
			context.open('functions');
		} },
	{ name: 'imbalance', title: 'Functions by how evenly they are spread, outside of calls of MPI', one: 'function', columns: [...SPREAD('cpu'), 'function', 'module'],
		sort: ['cpu_excess'], empty: 'No function matches.', counts: true, onOpen: (context) => context.open('functions') },
	{ name: 'imbalance_mpi', title: 'Calls of MPI by how evenly they are spread', one: 'call', columns: [...SPREAD('elapsed'), 'mpi_call'], wide: ['mpi_call'],
		sort: ['elapsed_most'], empty: 'No call matches.', counts: true },
	{ name: 'ranks_calls', title: 'Calls of MPI by rank', one: 'row', columns: ['calls', 'elapsed_inclusive', 'cpu_inclusive', 'rank', 'mpi_call'], wide: ['mpi_call'],
		sort: ['elapsed_inclusive'], empty: 'No call matches.', counts: true },
];

interface Rank { rank: number; host: string; process: number; work: number; mpi: number; mpiPercent: number | null }

function ranksOf(table: Table): Rank[] {
	const cell = (name: string, row: number) => {
		const column = table.columns.find((candidate) => candidate.name === name);
		return column ? table.value(column, row) : null;
	};
	return Array.from({ length: table.rows }, (_, row) => ({
		rank: Number(cell('rank', row) ?? 0), host: String(cell('host', row) ?? ''), process: table.subject.process[row]!,
		work: Number(cell('work', row) ?? 0), mpi: Number(cell('mpi', row) ?? 0), mpiPercent: cell('mpi_percent', row) as number | null,
	}));
}

/** By how much the rank with most work exceeds the average, as `tare report imbalance` has it. */
function leadOf(ranks: Rank[]): HTMLElement {
	const most = ranks.reduce((best, rank) => (rank.work > best.work ? rank : best));
	const average = ranks.reduce((sum, rank) => sum + rank.work, 0) / ranks.length;
	return h('p.lead', {}, h('b', {}, `Rank ${most.rank}`), average ?
		` works most: ${time(most.work)}, ${percent(most.work / average - 1)} % more than the average of ${plural(ranks.length, 'rank')}` : ': no rank has work');
}

export class RanksView implements View {
	readonly name = 'ranks';
	readonly title = 'Ranks';
	readonly element = h('section.view.ranks', { 'aria-label': 'Ranks of the job', tabindex: -1 });
	private readonly tables: TableView[];
	private readonly ranks: Rank[];

	constructor(private readonly context: Context) {
		const { profile } = context.state;
		this.tables = TABLES.filter(({ name }) => profile.table(name)?.rows).map((options) => new TableView(context, options));
		this.ranks = ranksOf(profile.table('ranks')!);
	}

	private bar(rank: Rank, most: number): Bar {
		const { state } = this.context;
		return {
			label: `Rank ${rank.rank}${rank.host ? ` on ${rank.host}` : ''}`, share: rank.work / (most || 1), text: time(rank.work), color: 'var(--bar)',
			detail: rank.mpi ? `${time(rank.mpi)} in MPI${rank.mpiPercent === null ? '' : `, ${percent(rank.mpiPercent / 100)} %`}` : undefined,
			title: `Functions of rank ${rank.rank}`,
			onclick: () => {
				state.filter({ threads: new Set(threadsOf(state, rank.process)) });
				this.context.open('functions');
			},
		};
	}

	private chart(): HTMLElement {
		const most = Math.max(...this.ranks.map(({ work }) => work));
		/* Of many, those that the others wait for; in the order of ranks. */
		const shown = [...this.ranks].sort((a, b) => b.work - a.work).slice(0, SHOWN).sort((a, b) => a.rank - b.rank);
		return h('section.card', {}, h('header', {}, h('h2', {}, 'Work of ranks'),
			h('span.muted', {}, this.ranks.length > SHOWN ? `the ${SHOWN} of ${this.ranks.length} with most work` : 'CPU time outside of calls of MPI')),
			leadOf(this.ranks), barList('Work of ranks', shown.map((rank) => this.bar(rank, most)), 'None.'));
	}

	show(): void {
		replace(this.element, this.chart(),
			...this.tables.map((view) => h('section.card.table-card', {}, h('header', {}, h('h2', {}, view.title)), view.element)));
		for (const view of this.tables)
			view.show();
	}

	change(change: Change): void {
		for (const view of this.tables)
			view.change(change);
	}

	focus(): void {
		this.element.focus();
	}
}
