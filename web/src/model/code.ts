// The code of a function in the page: its lines, its instructions, how these belong together, and
// where jumps lead.
import type { ColumnInfo } from './data.ts';
import { Lanes, type Jump } from './lanes.ts';
import { InlinedRows } from './inlined.ts';
import { Links, type LineRow } from './links.ts';
import type { Measure, Profile, Table } from './profile.ts';

/** As enum listing_kind of src/analysis/listing.h has them. */
export const Kind = { plain: 0, branch: 1, jump: 2, jumpIndirect: 3, call: 4, callIndirect: 5, returns: 6, stop: 7 } as const;

const LANES = 12;

/** Rows of a table with its cells by the names of columns. */
export class CodeTable {
	private readonly columns: Map<string, ColumnInfo>;
	private readonly greatest = new Map<string, number>();

	constructor(readonly table: Table) {
		this.columns = new Map(table.columns.map((column) => [column.name, column]));
	}

	get rows(): number {
		return this.table.rows;
	}

	has(name: string): boolean {
		return this.columns.has(name);
	}

	column(name: string): ColumnInfo | null {
		return this.columns.get(name) ?? null;
	}

	/** null where there is no such column, or no value in it. */
	cell(name: string, row: number): number | string | null {
		const column = this.columns.get(name);
		return column ? this.table.value(column, row) : null;
	}

	number(name: string, row: number): number | null {
		const value = this.cell(name, row);
		return typeof value === 'number' ? value : null;
	}

	text(name: string, row: number): string {
		const value = this.cell(name, row);
		return value === null ? '' : String(value);
	}

	/** The greatest value of a column, at least 0. */
	most(name: string): number {
		const known = this.greatest.get(name);
		if (known !== undefined)
			return known;
		let most = 0;
		for (let row = 0; row < this.rows; row++)
			most = Math.max(most, this.number(name, row) ?? 0);
		this.greatest.set(name, most);
		return most;
	}
}

/** What is shown of the lines' values for a measure: columns of the tables. */
export interface Margin {
	value: string;
	percent: string | null;
	/** Whether it is the measure that was asked for. */
	exact: boolean;
}

/** The columns for a measure; CPU time, or samples of it, where lines do not have that one. */
export function marginOf(table: CodeTable, measure: Measure): Margin | null {
	const side = measure.inclusive ? 'inclusive' : 'exclusive';
	const isTime = table.column(`${side}_weight`)?.type === 'time';
	const names = [measure.key, `cpu_${side}`, ...(isTime ? [`${side}_weight`] : []), `${side}_samples`, 'cpu_inclusive'];
	const value = names.find((name) => table.has(name));
	if (!value)
		return null;
	const percent = [`${value}_percent`, value.replace('_samples', '_percent')].find((name) => name !== value && table.has(name)) ?? null;
	return { value, percent, exact: value === measure.key || (/^cpu_/.test(measure.key) && measure.key.endsWith(side) && !value.startsWith('cpu_inclusive')) };
}

export class FunctionCode {
	readonly lines: CodeTable | null;
	readonly assembly: CodeTable | null;
	readonly kind: Float64Array;
	/** Rows, from 1 on; 0: none. */
	private readonly targets: Float64Array;
	private readonly callees: Float64Array;
	private readonly bytesOf: Float64Array;
	private readonly taken: Float64Array;
	private readonly notTaken: Float64Array;
	private placesRead: Int32Array | null = null;
	private inlinedMade: InlinedRows | null = null;
	private linksMade: Links | null = null;
	private jumpsMade: Map<number, number[]> | null = null;
	private lanesMade: Lanes | null = null;

	constructor(private readonly profile: Profile, readonly func: number) {
		const table = (name: string) => {
			const found = profile.table(`${name}:${func}`);
			return found && new CodeTable(found);
		};
		const column = (name: string) => profile.data.numbers(`assembly:${func}.#${name}`);
		this.lines = table('source');
		this.assembly = table('assembly');
		this.kind = column('kind');
		this.targets = column('target');
		this.callees = column('callee');
		this.bytesOf = column('bytes');
		this.taken = column('taken');
		this.notTaken = column('not_taken');
	}

	get isThere(): boolean {
		return this.lines !== null || this.assembly !== null;
	}

	/** The row that a jump leads to; -1: none of this function. */
	target(row: number): number {
		return (this.targets[row] ?? 0) - 1;
	}

	/** The function that is called, or jumped to; -1: not known. */
	callee(row: number): number {
		const known = (this.callees[row] ?? 0) - 1;
		if (known >= 0 || (this.kind[row] !== Kind.call && this.kind[row] !== Kind.jump))
			return known;
		const name = /<(.+)@plt>$/.exec(this.assembly!.text('text', row))?.[1];
		return name ? this.profile.functionNamed(name) : -1;
	}

	/** Whether it is known of any conditional jump how often it jumped. */
	get knowsJumps(): boolean {
		return this.taken.some((times) => times > 0);
	}

	/** How often a conditional jump jumped, and how often it did not; null: that is not known. */
	jumped(row: number): [number, number] | null {
		return this.taken[row] ? [this.taken[row]! - 1, Math.max(0, this.notTaken[row]! - 1)] : null;
	}

	/** The conditional jumps that are a line's own, as rows of instructions, if it is known how often they jumped. */
	jumpsOn(line: number): readonly number[] {
		this.jumpsMade ??= this.jumpsByLine();
		return this.jumpsMade.get(line) ?? [];
	}

	private jumpsByLine(): Map<number, number[]> {
		const found = new Map<number, number[]>();
		for (let row = 0; row < this.taken.length; row++) {
			const line = this.taken[row] ? this.links.linesOf(row).at(-1) : undefined;
			if (line === undefined)
				continue;
			const all = found.get(line);
			if (all)
				all.push(row);
			else
				found.set(line, [row]);
		}
		return found;
	}

	bytes(row: number): string {
		return this.profile.data.text(this.bytesOf[row] ?? 0);
	}

	/** Its innermost line: a number of the columns place.…; 0: none is known. */
	placeOf(row: number): number {
		this.placesRead ??= this.profile.data.indexes(`assembly:${this.func}.#place`);
		return this.placesRead[row] ?? 0;
	}

	get links(): Links {
		this.linksMade ??= this.makeLinks();
		return this.linksMade;
	}

	private lineRows(): LineRow[] {
		const { lines } = this;
		return Array.from({ length: lines?.rows ?? 0 }, (_, row) => ({
			source: lines!.text('source', row), line: lines!.number('line', row) ?? 0, level: lines!.number('level', row) ?? 0,
		}));
	}

	/** What of the lines is shown. */
	get inlined(): InlinedRows {
		this.inlinedMade ??= new InlinedRows(this.lineRows());
		return this.inlinedMade;
	}

	private makeLinks(): Links {
		const { profile } = this;
		return new Links(this.lineRows(), profile.places, Array.from({ length: this.assembly?.rows ?? 0 }, (_, row) => this.placeOf(row)));
	}

	get lanes(): Lanes {
		this.lanesMade ??= new Lanes(this.jumps(), LANES);
		return this.lanesMade;
	}

	private jumps(): Jump[] {
		const jumps: Jump[] = [];
		for (let row = 0; row < this.targets.length; row++)
			if (this.target(row) >= 0)
				jumps.push({ from: row, to: this.target(row) });
		return jumps;
	}

	/** The row with the greatest value; -1: none has any. */
	hottest(table: CodeTable, measure: Measure): number {
		const margin = marginOf(table, measure);
		const worth = (row: number) => (margin && table.number(margin.value, row)) || 0;
		let best = -1;
		for (let row = 0; row < table.rows; row++)
			if (worth(row) > (best < 0 ? 0 : worth(best)))
				best = row;
		return best;
	}
}
