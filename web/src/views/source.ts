// The selected function's source and its instructions side by side: what is marked on one side is
// marked on the other. In the margins what lines took, and how often they ran where that is known.
import { h } from '../dom.ts';
import { count, plural, shorten } from '../format.ts';
import { marginOf, type FunctionCode } from '../model/code.ts';
import { CODE_ROW, lineColumns, moreColumns } from '../parts/code_grid.ts';
import { Grid } from '../parts/grid.ts';
import { makeMatcher } from '../parts/search.ts';
import { columnMenu, isUsed, tableSource } from '../parts/table_columns.ts';
import type { Change, Place } from '../state.ts';
import { AssemblyPane, codeNote, emptyNote, FunctionChoice, missingNotes, styleOf, valuesNote } from './code_pane.ts';
import type { Context, View } from './context.ts';

type Shown = '' | 'source' | 'assembly';

export class SourceView implements View {
	readonly name = 'source';
	readonly title = 'Source';
	readonly element: HTMLElement;
	private readonly lines: Grid;
	private readonly assembly: AssemblyPane;
	private readonly choice: FunctionChoice;
	private readonly where = h('p.note', { role: 'status' });
	private readonly notes = h('p.signs');
	private readonly empty = h('p.empty');
	private readonly split = h('div.code-split');
	private readonly menu = h('span');
	private readonly more = new Set<string>();
	private readonly shown: HTMLSelectElement;
	private readonly bytes: HTMLButtonElement;
	private code: FunctionCode | null = null;
	/** What the grids hold. */
	private filled: FunctionCode | null = null;
	private matcher: ((text: string) => boolean) | null = null;
	/** What is marked: a line, or an instruction. */
	private marked: { side: 'line' | 'instruction'; row: number } | null = null;

	constructor(private readonly context: Context) {
		const { state } = context;
		this.choice = new FunctionChoice(context);
		this.shown = h('select', { 'aria-label': 'What to show', onchange: () => state.choose('code', this.shown.value) },
			h('option', { value: '' }, 'Source and instructions'), h('option', { value: 'source' }, 'Source lines'), h('option', { value: 'assembly' }, 'Instructions'));
		this.bytes = h('button.button.switch', { type: 'button', title: 'The bytes of instructions', onclick: () => state.choose('bytes', state.choices['bytes'] ? '' : '1') }, 'Bytes');
		this.lines = new Grid({
			label: 'Source lines', empty: 'No line of this function is known: the program has no debug information here.', rowHeight: CODE_ROW, nameWidth: 200,
			rowClass: (row) => [this.code!.lines!.number('level', row) ? 'inlined' : '', this.matcher?.(this.code!.lines!.text('text', row)) ? 'match' : ''].filter(Boolean).join(' '),
			onSelect: (row) => this.mark('line', row), onHover: (row) => this.hover('line', row), onOpen: (row) => this.cross('line', row),
			tree: {
				level: (row) => this.code!.inlined.level(row), expanded: (row) => this.code!.inlined.expanded(row), parentOf: (row) => this.code!.inlined.parentOf(row),
				toggle: (row, open) => { this.code!.inlined.toggle(row, open); this.lines.setRows(this.code!.inlined.list(), true); },
			},
		});
		this.assembly = new AssemblyPane(context, {
			narrow: true, onSelect: (row) => this.mark('instruction', row), onHover: (row) => this.hover('instruction', row), onOpen: (row) => this.cross('instruction', row),
		});
		this.element = h('section.view', { 'aria-label': 'Source' },
			h('div.bar', {}, this.choice.element, this.shown, this.bytes, this.menu, h('span.grow'), this.where), this.empty, this.split, this.notes);
	}

	/* ---- what belongs together ---- */

	/** Rows of the other side, and those of this side that the same code stands for. */
	private linked(side: 'line' | 'instruction', row: number): { lines: readonly number[]; instructions: readonly number[] } {
		if (row < 0 || !this.code)
			return { lines: [], instructions: [] };
		const { links } = this.code;
		return side === 'line' ? { lines: [row], instructions: links.instructionsOf(row) } : { lines: links.linesOf(row), instructions: [row] };
	}

	private light(side: 'line' | 'instruction', row: number): void {
		const { lines, instructions } = this.linked(side, row);
		this.lines.setLinked(new Set(lines));
		this.assembly.grid.setLinked(new Set(instructions));
	}

	private hover(side: 'line' | 'instruction', row: number): void {
		if (row >= 0)
			this.light(side, row);
		else
			this.light(this.marked?.side ?? 'line', this.marked?.row ?? -1);
	}

	/** Of several instructions the one that took most. */
	private target(side: 'line' | 'instruction', row: number): number {
		const { lines, instructions } = this.linked(side, row);
		if (side === 'instruction') /* the innermost one that is shown */
			return [...lines].reverse().find((line) => this.code!.inlined.isShown(line)) ?? -1;
		const table = this.code?.assembly;
		const margin = table && marginOf(table, this.context.state.measure);
		const worth = (instruction: number) => (margin && table!.number(margin.value, instruction)) || 0;
		return instructions.reduce((best, candidate) => (worth(candidate) > worth(best) ? candidate : best), instructions[0] ?? -1);
	}

	private mark(side: 'line' | 'instruction', row: number): void {
		this.marked = { side, row };
		this.light(side, row);
		const other = this.target(side, row);
		if (other >= 0)
			(side === 'line' ? this.assembly.grid : this.lines).showRow(other);
		this.say();
	}

	/** The keyboard goes to the other side. */
	private cross(side: 'line' | 'instruction', row: number): void {
		const other = this.target(side, row);
		const grid = side === 'line' ? this.assembly.grid : this.lines;
		if (other < 0 || !grid.element.isConnected)
			return;
		grid.moveTo(other, true);
		grid.focus();
	}

	/* ---- what is shown ---- */

	private say(): void {
		const { code, marked } = this;
		const parts: string[] = [];
		if (marked && code && marked.side === 'line' && code.lines) {
			const many = code.links.instructionsOf(marked.row).length;
			parts.push(`line ${code.lines.text('line', marked.row)}`, code.assembly ? (many ? plural(many, 'instruction') : 'no instructions of its own') : '');
		} else if (marked && code?.assembly) {
			const line = code.links.linesOf(marked.row).at(-1);
			parts.push(code.assembly.text('address', marked.row), line !== undefined ? `line ${code.lines!.text('line', line)}` : code.lines ? 'no line' : '');
		} else if (code?.isThere) {
			parts.push(this.sourceFile(), code.lines ? plural(code.lines.rows, 'line') : '', code.assembly ? `${count(code.assembly.rows)} instructions` : '');
		}
		this.where.textContent = parts.filter(Boolean).join(' · ');
	}

	private sourceFile(): string {
		const { lines } = this.code!;
		for (let row = 0; lines && row < lines.rows; row++)
			if (lines.text('source', row))
				return shorten(lines.text('source', row), 70);
		return this.context.state.profile.moduleOf(this.code!.func);
	}

	private render(): void {
		const { state } = this.context;
		const before = this.code;
		const code = this.code = this.choice.current();
		const shown = (state.choices['code'] ?? '') as Shown;
		this.shown.value = shown;
		this.bytes.setAttribute('aria-pressed', String(state.choices['bytes'] === '1'));
		this.matcher = makeMatcher(state.query);
		const sides = [...(code.lines && shown !== 'assembly' ? [this.lines.element] : []), ...(code.assembly && shown !== 'source' ? [this.assembly.grid.element] : [])];
		if (!sides.length && code.isThere) /* the one that there is */
			sides.push(code.lines ? this.lines.element : this.assembly.grid.element);
		this.bytes.hidden = !sides.includes(this.assembly.grid.element);
		if (sides.length !== this.split.children.length || sides.some((side, i) => this.split.children[i] !== side))
			this.split.replaceChildren(...sides);
		this.empty.hidden = code.isThere;
		this.empty.textContent = code.isThere ? '' : emptyNote(this.context);
		this.split.hidden = !code.isThere;
		if (before !== code)
			this.marked = null;
		this.fill(code);
		this.say();
		const { place } = state;
		state.place = null;
		if (before !== code && !(place && this.toPlace(code, place)))
			this.toHottest(code);
	}

	private fill(code: FunctionCode): void {
		const isSame = this.filled === code;
		this.filled = code;
		this.lines.set(code.lines ? lineColumns(code, styleOf(this.context, code.lines, this.more)) : [], code.inlined.list(), isSame);
		this.assembly.show(code, this.more);
		this.light(this.marked?.side ?? 'line', this.marked?.row ?? -1);
		const noLines = code.assembly && !code.lines ? 'No source line of this function is known: the debug information of its file was not found when this was recorded.' : '';
		this.notes.replaceChildren(...(code.isThere ? [noLines, valuesNote(this.context, code.lines ?? code.assembly), ...missingNotes(this.context, code), codeNote(this.context)] : [])
			.filter(Boolean).map((note) => h('span', {}, note)));
		this.fillMenu(code);
	}

	private fillMenu(code: FunctionCode): void {
		const table = code.lines ?? code.assembly;
		const columns = table ? moreColumns(table).filter((info) => isUsed(info, tableSource(table.table))) : [];
		this.menu.replaceChildren(...(columns.length ? [columnMenu(columns, this.more, () => this.fill(code))] : []));
	}

	/** The line itself, or the one that it was inlined at. */
	private shownLine(row: number): number {
		let at = row;
		while (at >= 0 && !this.code!.inlined.isShown(at))
			at = this.code!.inlined.parentOf(at);
		return at;
	}

	/** Where another view leads to. */
	private toPlace(code: FunctionCode, place: Place): boolean {
		const { lines, assembly } = code;
		for (let row = 0; !place.address && place.line && lines && row < lines.rows; row++)
			if (lines.number('line', row) === place.line && lines.text('source', row) === place.source && this.lines.element.isConnected)
				return this.lines.moveTo(this.shownLine(row), true, true);
		for (let row = 0; place.address && assembly && row < assembly.rows; row++)
			if (assembly.text('address', row) === place.address && this.assembly.grid.element.isConnected)
				return this.assembly.grid.moveTo(row, true, true);
		return false;
	}

	private toHottest(code: FunctionCode): void {
		const { measure } = this.context.state;
		const line = this.shownLine(code.lines ? code.hottest(code.lines, measure) : -1);
		if (line >= 0 && this.lines.element.isConnected)
			this.lines.moveTo(line, true, true);
		const instruction = code.assembly ? code.hottest(code.assembly, measure) : -1;
		if (instruction >= 0 && !this.lines.element.isConnected)
			this.assembly.grid.moveTo(instruction, true, true);
	}

	show(): void {
		this.code = null;
		this.render();
	}

	change(change: Change): void {
		if (change !== 'shape')
			this.render();
	}

	focus(): void {
		(this.lines.element.isConnected ? this.lines : this.assembly.grid).focus();
	}
}
