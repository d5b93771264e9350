// The disassembly of a function: addresses, bytes where they are wanted, names of what is called, and
// jumps as arrows. Or the instructions of all functions as a table.
import { h } from '../dom.ts';
import { plural, shorten } from '../format.ts';
import type { FunctionCode } from '../model/code.ts';
import { moreColumns } from '../parts/code_grid.ts';
import { columnMenu, isUsed, tableSource } from '../parts/table_columns.ts';
import type { Change } from '../state.ts';
import { AssemblyPane, codeNote, emptyNote, FunctionChoice, missingNotes, valuesNote } from './code_pane.ts';
import type { Context, View } from './context.ts';

export class InstructionsView implements View {
	readonly name = 'instructions';
	readonly title = 'Instructions';
	readonly element = h('section.view', { 'aria-label': 'Instructions' });
	private readonly choice: FunctionChoice;
	private readonly pane: AssemblyPane;
	private readonly what: HTMLSelectElement;
	private readonly bytes: HTMLButtonElement;
	private readonly where = h('p.note', { role: 'status' });
	private readonly notes = h('p.signs');
	private readonly empty = h('p.empty');
	private readonly menu = h('span');
	private readonly more = new Set<string>();
	private readonly bar: HTMLElement;
	private code: FunctionCode | null = null;

	/** `all`: the table of all instructions; null: there is none. */
	constructor(private readonly context: Context, private readonly all: View | null) {
		const { state } = context;
		this.choice = new FunctionChoice(context);
		this.pane = new AssemblyPane(context, { onSelect: (row) => this.say(row), onOpen: () => context.open('source') });
		this.what = h('select', { 'aria-label': 'Which instructions', onchange: () => state.choose('list', this.what.value) },
			h('option', { value: '' }, 'Of one function'), all && h('option', { value: 'all' }, 'Of all functions'));
		this.bytes = h('button.button.switch', { type: 'button', title: 'The bytes of instructions', onclick: () => state.choose('bytes', state.choices['bytes'] ? '' : '1') }, 'Bytes');
		this.bar = h('div.bar', {}, this.what, this.choice.element, this.bytes, this.menu, h('span.grow'), this.where);
	}

	private get showsAll(): boolean {
		return this.all !== null && (this.context.state.choices['list'] === 'all' || !this.context.state.profile.functionsWithCode.length);
	}

	private say(row: number): void {
		const code = this.code!;
		const { profile } = this.context.state;
		if (!code.assembly)
			this.where.textContent = '';
		else if (row < 0)
			this.where.textContent = `${shorten(profile.moduleOf(code.func), 60)} · ${plural(code.assembly.rows, 'instruction')}`;
		else
			this.where.textContent = [code.assembly.text('address', row), shorten(profile.placeText(code.placeOf(row)), 90)].filter(Boolean).join(' · ');
	}

	private render(fresh: boolean): void {
		const { state } = this.context;
		const { showsAll } = this;
		this.what.value = showsAll ? 'all' : '';
		for (const element of [this.choice.element, this.bytes, this.menu, this.where])
			element.hidden = showsAll;
		if (showsAll) {
			this.what.hidden = !state.profile.functionsWithCode.length;
			this.element.replaceChildren(this.bar, this.all!.element);
			return;
		}
		const before = this.code;
		const code = this.code = this.choice.current();
		this.bytes.setAttribute('aria-pressed', String(state.choices['bytes'] === '1'));
		this.empty.textContent = code.assembly ? '' : emptyNote(this.context);
		this.element.replaceChildren(this.bar, code.assembly ? this.pane.grid.element : this.empty, this.notes);
		this.fill(code);
		const hottest = code.assembly && (fresh || before !== code) ? code.hottest(code.assembly, state.measure) : -1;
		if (before !== code || fresh)
			this.say(-1);
		if (hottest >= 0)
			this.pane.grid.moveTo(hottest, true, true);
	}

	private fill(code: FunctionCode): void {
		const { assembly } = code;
		if (assembly)
			this.pane.show(code, this.more);
		this.notes.replaceChildren(...(assembly ? [valuesNote(this.context, assembly), ...missingNotes(this.context, code), codeNote(this.context)] : [])
			.filter(Boolean).map((note) => h('span', {}, note)));
		const columns = assembly ? moreColumns(assembly).filter((info) => isUsed(info, tableSource(assembly.table))) : [];
		this.menu.replaceChildren(...(columns.length ? [columnMenu(columns, this.more, () => this.fill(code))] : []));
	}

	show(): void {
		this.render(true);
		if (this.showsAll)
			this.all!.show();
	}

	change(change: Change): void {
		if (this.showsAll && this.what.value === 'all' && change !== 'view')
			this.all!.change(change);
		else if (change === 'view')
			this.show();
		else if (change !== 'shape')
			this.render(false);
	}

	focus(): void {
		if (this.showsAll)
			this.all!.focus();
		else
			this.pane.grid.focus();
	}
}
