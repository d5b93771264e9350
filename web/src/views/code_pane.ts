// What the views of code share: which function's code is shown, what of it the page has, and its
// instructions as a grid.
import { h } from '../dom.ts';
import { count, percent, plural, shorten } from '../format.ts';
import { FunctionCode, Kind, marginOf, type CodeTable } from '../model/code.ts';
import { assemblyColumns, CODE_ROW, type CodeStyle } from '../parts/code_grid.ts';
import { copyText } from '../parts/copy.ts';
import { Grid, type Column } from '../parts/grid.ts';
import type { Action } from '../parts/menu.ts';
import { makeMatcher } from '../parts/search.ts';
import type { Context } from './context.ts';
import { functionActions } from './frame_actions.ts';

/** Chooses among the functions whose code is there; its share stands before the name. */
export class FunctionChoice {
	readonly element: HTMLSelectElement;

	constructor(private readonly context: Context) {
		const { profile } = context.state;
		this.element = h('select.functions', { 'aria-label': 'Function', onchange: () => context.state.set('selected', Number(this.element.value)) },
			...profile.functionsWithCode.map((func) => h('option', { value: func }, `${this.share(func)}${shorten(profile.functionNames[func]!, 60)}`)));
	}

	/** What it took by itself, of all. */
	private share(func: number): string {
		const { selection, profile } = this.context.state;
		const quantity = profile.header.ranking;
		const total = selection.totals[quantity]!;
		return total ? `${percent(selection.of(func, quantity, false) / total)} %  ` : '';
	}

	/** The selected function, or the hottest one where nobody has chosen one. */
	current(): FunctionCode {
		const { state } = this.context;
		const { functionsWithCode } = state.profile;
		if (state.selected === state.busiest && functionsWithCode.length && !functionsWithCode.includes(state.selected))
			state.set('selected', functionsWithCode[0]!);
		this.element.value = String(state.selected);
		if (this.code?.func !== state.selected)
			this.code = new FunctionCode(state.profile, state.selected);
		return this.code;
	}
	private code: FunctionCode | null = null;
}

/** Which functions' code the page has, and how to get the others'. */
export function codeNote(context: Context): string {
	const { code } = context.state.profile.header;
	if (!code.functions_embedded || code.functions_embedded >= code.functions)
		return '';
	return `Code of ${count(code.functions_embedded)} of ${plural(code.functions, 'function')} with values is in this page` +
		`${code.amount ? `, with ${percent(code.amount_embedded / code.amount)} % of these values` : ''}: at most ${count(code.most_functions)} functions and ` +
		`${count(code.most_instructions)} instructions; tare view --embed-source=all has them all.`;
}

/** Why nothing is shown. */
export function emptyNote(context: Context): string {
	const { profile } = context.state;
	const { code } = profile.header;
	if (code.embedded === 'no')
		return 'This page was made without source and instructions: tare view --embed-source=hot has them.';
	if (!code.functions)
		return profile.hasCalls ? 'This recording has neither samples nor the places that calls were made from: tare record takes samples, tare record --call-sites keeps the places.' :
			'No function has samples.';
	return `Of this function neither source nor instructions are in the page. ${profile.functionsWithCode.length ? 'Choose one above. ' : ''}${codeNote(context)}`;
}

export function styleOf(context: Context, table: CodeTable | null, more: ReadonlySet<string>, chosen = -1): CodeStyle {
	const { state } = context;
	const margin = table && marginOf(table, state.measure);
	const isSamples = margin && /samples$/.test(margin.value);
	const name = margin?.value === state.measure.key ? state.profile.header.quantities[state.measure.quantity]!.title : isSamples && !state.profile.hasCalls ? 'Samples' : 'CPU';
	return { measure: state.measure, title: `${name} %`, more, bytes: state.choices['bytes'] === '1', narrow: false, chosen };
}

/** What is not seen of the code, and why. */
export function missingNotes(context: Context, code: FunctionCode): string[] {
	const { tables } = context.state.profile.header;
	const notes = ['source', 'assembly'].flatMap((kind) => tables.find(({ name }) => name === `${kind}:${code.func}`)?.notes ?? []);
	const { leftOut } = code.lanes;
	if (leftOut)
		notes.push(`${plural(leftOut, 'arrow')} of jumps would not fit beside the others: only where they begin is drawn, and the one of the selected jump.`);
	return [...new Set(notes)];
}

/** What has to be known of the margin's values. */
export function valuesNote(context: Context, table: CodeTable | null): string {
	const { state } = context;
	const margin = table && marginOf(table, state.measure);
	const notes = [];
	if (margin && !margin.exact)
		notes.push(margin.value.startsWith('cpu_inclusive') ? 'Of lines the CPU time of the calls made from them is known' : 'Of lines CPU time is known, by samples; other times are known of functions');
	else if (margin && table!.has('calls') && !table!.has('inclusive_samples'))
		notes.push('The values of lines are those of the calls made from them');
	if (!state.selection.isAll)
		notes.push(`${notes.length ? 'these' : 'These'} values are of all threads and all of the time: the profile has those of lines together only`);
	return notes.length ? `${notes.join('; ')}.` : '';
}

export interface AssemblyOptions {
	onSelect(row: number): void;
	onHover?(row: number): void;
	narrow?: boolean;
	/** Enter on an instruction that leads nowhere. */
	onOpen?(row: number): void;
}

/** The instructions of a function: jumps are followed within it, calls to functions whose code is there. */
export class AssemblyPane {
	readonly grid: Grid;
	code: FunctionCode | null = null;
	private more: ReadonlySet<string> = new Set();
	/** The row of the jump whose arrow is marked. */
	private chosen = -1;
	private matcher: ((text: string) => boolean) | null = null;

	constructor(private readonly context: Context, private readonly options: AssemblyOptions) {
		this.grid = new Grid({
			label: 'Instructions', empty: 'The instructions of this function are not in the page.', rowHeight: CODE_ROW, nameWidth: options.narrow ? 200 : 260,
			onSelect: (row) => this.select(row), onHover: (row) => options.onHover?.(row),
			onOpen: (row) => { if (!this.follow(row)) options.onOpen?.(row); },
			onKey: (key, row) => key === 'j' && this.follow(row),
			onPart: (row, target) => target.closest('.symbol.link') !== null && this.follow(row),
			rowClass: (row) => (this.matcher?.(this.code!.assembly!.text('text', row)) ? 'match' : ''),
			actions: (row) => this.actions(row),
		});
	}

	private actions(row: number): Action[] {
		const code = this.code!;
		const callee = code.callee(row);
		const text = code.assembly!.text('text', row);
		return [
			...(code.target(row) >= 0 ? [{ title: 'Follow the jump', key: 'j', run: () => void this.follow(row) }] : []),
			...(callee >= 0 ? functionActions(this.context, callee) : []),
			{ title: 'Copy the instruction', run: () => void copyText(`${code.assembly!.text('address', row)}  ${text}`, 'Instruction') },
		];
	}

	/** To where the instruction leads; false where it leads nowhere that can be shown. */
	follow(row: number): boolean {
		const code = this.code!;
		if (code.target(row) >= 0)
			return this.grid.moveTo(code.target(row), true, true);
		const callee = code.callee(row);
		if (callee < 0)
			return false;
		this.context.state.set('selected', callee, 'step');
		return true;
	}

	private select(row: number): void {
		this.setColumns(row);
		this.options.onSelect(row);
	}

	private columns(chosen: number): Column[] {
		return this.code?.assembly ? assemblyColumns(this.code, { ...styleOf(this.context, this.code.assembly, this.more, chosen), narrow: this.options.narrow ?? false }) : [];
	}

	/** The arrow of the row's jump is marked; of a row that jumps lead to, none is. */
	private setColumns(row: number): void {
		const { code } = this;
		const isJump = code !== null && row >= 0 && code.kind[row] !== Kind.call && code.target(row) >= 0;
		const chosen = isJump ? row : -1;
		if (chosen !== this.chosen)
			this.grid.replaceColumns(this.columns(this.chosen = chosen));
	}

	show(code: FunctionCode, more: ReadonlySet<string>): void {
		const isSame = this.code === code;
		this.code = code;
		this.more = more;
		this.matcher = makeMatcher(this.context.state.query);
		this.grid.set(this.columns(this.chosen = isSame ? this.chosen : -1), Array.from({ length: code.assembly?.rows ?? 0 }, (_, row) => row), isSame);
	}
}
