// A table of any number of rows: only those in sight are elements. Sortable by its column heads,
// with the keyboard of an ARIA grid; a tree grid where rows have levels.
import { characterWidth, h, perFrame } from '../dom.ts';
import { count, plural, shorten } from '../format.ts';
import { copyText } from './copy.ts';
import { openMenu, type Action } from './menu.ts';

export interface Column {
	key: string;
	title: string;
	group?: string;
	/** Said of the column when the pointer rests on its head. */
	hint?: string;
	kind: 'number' | 'name' | 'text' | 'code' | 'gutter';
	/** Pixels; names share what is left. */
	width: number;
	text(row: number): string;
	/** What to sort by; null is last either way. */
	sortValue?(row: number): number | string | null;
	/** Between 0 and 1: the length of the bar behind the number. */
	share?(row: number): number;
	className?(row: number): string;
	/** What stands in the cell instead of the text. */
	render?(row: number): Node;
	/** Between 0 and 1: how hot the cell is; null: nothing is known. Its class says in which colour. */
	heat?(row: number): number | null;
	/** Said of the cell when the pointer rests on it. */
	hintOf?(row: number): string;
	/** In CSV: the name of the column, and the cell as it is computed with. */
	csvKey?: string;
	csv?(row: number): number | string | null;
}

export interface TreeRows {
	level(row: number): number;
	/** null: has no children. */
	expanded(row: number): boolean | null;
	toggle(row: number, open: boolean): void;
	parentOf(row: number): number;
}

export interface GridOptions {
	label: string;
	empty: string;
	sort?: { key: string; descending: boolean };
	tree?: TreeRows;
	/** The least width of names, in pixels. */
	nameWidth?: number;
	onSelect?(row: number): void;
	onOpen?(row: number): void;
	onSort?(key: string, descending: boolean): void;
	rowClass?(row: number): string;
	/** What can be done with a row: the menu of the right button, Shift+F10 and m. */
	actions?(row: number): Action[];
	/** Rows that are nothing by themselves, as in "12 more". */
	isRest?(row: number): boolean;
	/** Pixels; 26 where it is not said. */
	rowHeight?: number;
	/** The row below the pointer; -1: none. */
	onHover?(row: number): void;
	/** A key that the grid has no use for; whether it was of use. */
	onKey?(key: string, row: number): boolean;
	/** A click on a part of a row; whether it was of use. */
	onPart?(row: number, target: Element): boolean;
}

const PRINTED = 300; /* rows on paper */
const SPARE = 6; /* rows made beyond what is in sight */
const TALLEST = 8e6; /* pixels; browsers bear no taller elements */

export class Grid {
	readonly element: HTMLElement;
	private columns: Column[] = [];
	private rows: ArrayLike<number> = [];
	private cursor = -1; /* index into rows */
	private sort: { key: string; descending: boolean } | null;
	private readonly head: HTMLElement;
	private readonly body: HTMLElement;
	private readonly spacer: HTMLElement;
	private readonly emptyNote: HTMLElement;
	private readonly scroller: HTMLElement;
	private readonly live = new Map<number, HTMLElement>();
	private readonly later = perFrame(() => this.render());
	private nameCharacters = 40;
	private readonly rowHeight: number;
	private linked: ReadonlySet<number> = new Set();
	private hovered = -1;
	private printing = false;
	private readonly rest = h('p.grid-rest');
	private static made = 0;
	private readonly id = `grid${Grid.made++}`;

	constructor(private readonly options: GridOptions) {
		this.sort = options.sort ?? null;
		this.rowHeight = options.rowHeight ?? 26;
		this.head = h('div.grid-head', { role: 'rowgroup' });
		this.body = h('div.grid-body', { role: 'rowgroup' });
		this.spacer = h('div.grid-spacer', { 'aria-hidden': 'true' });
		this.emptyNote = h('p.empty', { hidden: true }, options.empty);
		this.scroller = h('div.grid-scroller', {
			role: options.tree ? 'treegrid' : 'grid', 'aria-label': options.label, tabindex: 0,
			onkeydown: (event) => this.onKey(event as KeyboardEvent), onscroll: () => this.later(),
		}, this.head, h('div.grid-space', { role: 'presentation' }, this.spacer, this.body));
		this.element = h('div.grid', { style: `--row:${this.rowHeight}px` }, this.scroller, this.rest, this.emptyNote);
		if (options.onHover) {
			this.body.addEventListener('mouseover', (event) => this.hover(this.indexOf(event.target)));
			this.body.addEventListener('mouseleave', () => this.hover(-1));
		}
		this.body.addEventListener('click', (event) => this.onClick(event));
		this.body.addEventListener('dblclick', (event) => {
			const index = this.indexOf(event.target);
			if (index >= 0)
				options.onOpen?.(this.rows[index]!);
		});
		this.body.addEventListener('contextmenu', (event) => {
			const index = this.indexOf(event.target);
			if (index < 0 || !options.actions)
				return;
			event.preventDefault();
			this.move(index, true);
			this.openActions({ x: event.clientX, y: event.clientY });
		});
		addEventListener('beforeprint', () => this.print(true));
		addEventListener('afterprint', () => this.print(false));
		new ResizeObserver(() => this.resize()).observe(this.scroller);
	}

	setColumns(columns: Column[]): void {
		this.columns = columns;
		this.renderHead();
		this.resize();
	}

	/** The same columns, with other cells. */
	replaceColumns(columns: Column[]): void {
		this.columns = columns;
		this.refresh();
	}

	/** Rows by their numbers; they are sorted here unless the grid is a tree. */
	setRows(rows: number[], keepPlace = false): void {
		this.set(this.columns, rows, keepPlace);
	}

	/** Columns and rows at once: where neither goes with the other's predecessor. */
	set(columns: Column[], rows: number[], keepPlace = false): void {
		const current = this.cursor >= 0 ? this.rows[this.cursor] : undefined;
		this.columns = columns;
		this.rows = this.options.tree ? rows : this.sorted(rows);
		this.cursor = current === undefined ? -1 : Array.prototype.indexOf.call(this.rows, current);
		if (!keepPlace)
			this.scroller.scrollTop = 0;
		this.renderHead();
		this.resize();
	}

	get rowCount(): number {
		return this.rows.length;
	}

	rowAt(index: number): number {
		return this.rows[index]!;
	}

	get sortedBy(): { key: string; descending: boolean } | null {
		return this.sort;
	}

	sortBy(key: string, descending?: boolean): void {
		const column = this.columns.find((candidate) => candidate.key === key);
		if (!column?.sortValue)
			return;
		const again = this.sort?.key === key;
		this.sort = { key, descending: descending ?? (again ? !this.sort!.descending : column.kind === 'number') };
		this.options.onSort?.(key, this.sort.descending);
		this.renderHead();
		if (!this.options.tree)
			this.setRows(Array.from(this.rows));
	}

	private sorted(rows: number[]): number[] {
		const column = this.columns.find((candidate) => candidate.key === this.sort?.key);
		if (!column?.sortValue)
			return rows;
		const sign = this.sort!.descending ? -1 : 1;
		const keys = rows.map((row) => column.sortValue!(row));
		const order = rows.map((_, i) => i);
		order.sort((a, b) => {
			const x = keys[a]!;
			const y = keys[b]!;
			if (x === null || y === null)
				return (x === null ? 1 : 0) - (y === null ? 1 : 0) || a - b;
			return x === y ? a - b : x < y ? -sign : sign;
		});
		return order.map((i) => rows[i]!);
	}

	/** Puts the cursor on a row, brings it into sight. False where the row is not there. */
	moveTo(row: number, select = false, centred = false): boolean {
		const index = Array.prototype.indexOf.call(this.rows, row);
		if (index < 0)
			return false;
		if (centred)
			this.scroller.scrollTop = Math.max(0, (index - this.viewRows() / 2) * this.rowHeight);
		this.move(index, select);
		return true;
	}

	private hover(index: number): void {
		const row = index < 0 ? -1 : this.rows[index]!;
		if (row !== this.hovered)
			this.options.onHover?.(this.hovered = row);
	}

	/** Rows that belong to what is marked elsewhere. */
	setLinked(rows: ReadonlySet<number>): void {
		this.linked = rows;
		for (const [index, element] of this.live)
			element.classList.toggle('linked', rows.has(this.rows[index]!));
	}

	/** Brings a row into sight, and leaves the cursor where it is. */
	showRow(row: number): void {
		const index = Array.prototype.indexOf.call(this.rows, row);
		if (index >= 0)
			this.reveal(index, true);
	}

	/** Puts the cursor on a row where it stands. */
	mark(row: number): void {
		this.cursor = Array.prototype.indexOf.call(this.rows, row);
		this.refresh();
	}

	focus(): void {
		this.scroller.focus({ preventScroll: true });
		if (this.cursor < 0 && this.rows.length)
			this.move(0, false);
	}

	/** The row that the keyboard is at, -1: none. */
	get current(): number {
		return this.cursor >= 0 ? this.rows[this.cursor]! : -1;
	}

	/** The menu of the row that the keyboard is at. */
	openActions(place?: { x: number; y: number }): void {
		const row = this.current;
		if (!this.options.actions || this.cursor < 0 || this.options.isRest?.(row))
			return;
		const element = this.live.get(this.cursor)?.getBoundingClientRect();
		openMenu('Actions for the row', place ?? { x: (element?.left ?? 0) + 160, y: element?.bottom ?? 100 }, this.options.actions(row));
	}

	/** All rows, those out of sight too, in the order shown: RFC 4180. An apostrophe keeps a spreadsheet from taking a name for a formula. */
	csv(): string {
		const safe = (value: number | string) => (typeof value === 'string' && /^\s*[=+\-@＝＋－＠]/.test(value) ? `'${value}` : String(value));
		const quote = (value: number | string | null) => (value === null ? '' : /[",\r\n]/.test(String(value)) ? `"${safe(value).replaceAll('"', '""')}"` : safe(value));
		const tree = this.options.tree;
		const head = [...(tree ? ['level'] : []), ...this.columns.map((column) => column.csvKey ?? column.key)];
		const lines = [head.map(quote).join(',')];
		for (let i = 0; i < this.rows.length; i++) {
			const row = this.rows[i]!;
			if (this.options.isRest?.(row))
				continue;
			lines.push([...(tree ? [tree.level(row)] : []), ...this.columns.map((column) => {
				const value = column.csv ? column.csv(row) : column.sortValue ? column.sortValue(row) : column.text(row);
				return Number.isFinite(value) || typeof value === 'string' ? value : null;
			})].map(quote).join(','));
		}
		return `${lines.join('\r\n')}\r\n`;
	}

	/** A button that copies the table as CSV. */
	csvButton(): HTMLElement {
		return h('button.button', { type: 'button', title: 'All rows of the table with the columns that are shown', onclick: () => void copyText(this.csv(), `${plural(this.rows.length, 'row')} as CSV`) }, 'Copy CSV');
	}

	private move(index: number, select: boolean): void {
		if (!this.rows.length)
			return;
		const before = this.cursor;
		this.cursor = Math.max(0, Math.min(index, this.rows.length - 1));
		this.reveal(this.cursor);
		/* A second click has to meet the same element, or it makes no double click. */
		if (this.cursor !== before || !this.live.has(before))
			this.refresh();
		if (select)
			this.options.onSelect?.(this.rows[this.cursor]!);
	}

	/* ---- keyboard and pointer ---- */

	private onKey(event: KeyboardEvent): void {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.scroller)
			return;
		const page = Math.max(1, Math.floor(this.viewRows()) - 1);
		const moves: Record<string, number> = {
			ArrowDown: this.cursor + 1, ArrowUp: Math.max(this.cursor - 1, 0),
			PageDown: this.cursor + page, PageUp: this.cursor - page, Home: 0, End: this.rows.length - 1,
		};
		const to = moves[event.key];
		if (to !== undefined)
			this.move(to, true);
		else if (event.key === 'ContextMenu' || event.key === 'm' || (event.key === 'F10' && event.shiftKey))
			this.openActions();
		else if (!this.onTreeKey(event.key) && event.key === 'Enter' && this.cursor >= 0)
			this.options.onOpen?.(this.rows[this.cursor]!);
		else if (this.cursor >= 0 && this.options.onKey?.(event.key, this.rows[this.cursor]!))
			event.stopPropagation();
		else if (!['ArrowLeft', 'ArrowRight', '*'].includes(event.key) || !this.options.tree)
			return;
		event.preventDefault();
	}

	private onTreeKey(key: string): boolean {
		const tree = this.options.tree;
		if (!tree || this.cursor < 0 || (key !== 'ArrowRight' && key !== 'ArrowLeft'))
			return false;
		const row = this.rows[this.cursor]!;
		const open = tree.expanded(row);
		if (key === 'ArrowRight') {
			if (open === false)
				tree.toggle(row, true);
			else if (open)
				this.move(this.cursor + 1, true);
		} else if (open) {
			tree.toggle(row, false);
		} else {
			this.moveTo(tree.parentOf(row), true);
		}
		return true;
	}

	private indexOf(target: EventTarget | null): number {
		const element = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
		return element ? Number(element.dataset['index']) : -1;
	}

	private onClick(event: Event): void {
		const index = this.indexOf(event.target);
		if (index < 0)
			return;
		const row = this.rows[index]!;
		if (event.target instanceof Element && event.target.closest('.twisty'))
			this.options.tree?.toggle(row, !this.options.tree.expanded(row));
		this.move(index, true);
		if (event.target instanceof Element)
			this.options.onPart?.(row, event.target);
	}

	/* ---- geometry ---- */

	private height(): number {
		if (this.printing)
			return Math.min(this.rows.length, PRINTED) * this.rowHeight;
		return Math.min(this.rows.length * this.rowHeight, TALLEST);
	}

	private viewHeight(): number {
		return Math.max(this.rowHeight, this.scroller.clientHeight - this.head.offsetHeight);
	}

	private print(on: boolean): void {
		this.printing = on;
		const left = this.rows.length - PRINTED;
		this.rest.textContent = on && left > 0 ? `${count(left)} more rows are not printed` : '';
		this.refresh();
	}

	private viewRows(): number {
		if (this.printing)
			return PRINTED;
		return this.viewHeight() / this.rowHeight;
	}

	/** The first row in sight, a fraction: beyond TALLEST a pixel stands for more than a pixel. */
	private firstInSight(): number {
		if (this.printing)
			return 0;
		const scrollable = this.height() - this.viewHeight();
		if (this.rows.length * this.rowHeight <= TALLEST || scrollable <= 0)
			return this.scroller.scrollTop / this.rowHeight;
		return (this.scroller.scrollTop / scrollable) * (this.rows.length - this.viewRows());
	}

	private reveal(index: number, centred = false): void {
		const first = this.firstInSight();
		const rows = this.viewRows();
		let wanted = first;
		if (index < first)
			wanted = index;
		else if (index + 1 > first + rows)
			wanted = index + 1 - rows;
		if (wanted === first)
			return;
		if (centred)
			wanted = Math.max(0, Math.min(index - rows / 2, this.rows.length - rows));
		const scrollable = this.height() - this.viewHeight();
		this.scroller.scrollTop = this.rows.length * this.rowHeight <= TALLEST ? wanted * this.rowHeight :
			(wanted / (this.rows.length - rows)) * scrollable;
	}

	private leastName(): number {
		return this.options.nameWidth ?? 230;
	}

	private resize(): void {
		const isWide = (column: Column) => column.kind === 'name' || column.kind === 'code';
		const fixed = this.columns.reduce((sum, column) => sum + (isWide(column) ? 0 : column.width), 0);
		const names = this.columns.filter(isWide).length;
		const least = this.leastName() * names;
		const room = Math.max(least, this.scroller.clientWidth - fixed);
		this.nameCharacters = Math.floor((room / Math.max(names, 1) - 18) / characterWidth());
		const tracks = this.columns.map((column) => isWide(column) ? `minmax(${this.leastName()}px, 1fr)` : `${column.width}px`);
		this.element.style.setProperty('--tracks', tracks.join(' '));
		this.element.style.setProperty('--width', `${fixed + least}px`);
		this.refresh();
	}

	/* ---- elements ---- */

	private renderHead(): void {
		const groups = h('div.grid-row.grid-groups', { 'aria-hidden': 'true' });
		for (let i = 0; i < this.columns.length;) {
			const group = this.columns[i]!.group ?? '';
			let span = 1;
			while (i + span < this.columns.length && (this.columns[i + span]!.group ?? '') === group)
				span++;
			groups.append(h(group ? 'span.grid-group' : 'span', { style: `grid-column: span ${span}` }, group));
			i += span;
		}
		const row = h('div.grid-row', { role: 'row', 'aria-rowindex': 1 });
		for (const column of this.columns)
			row.append(this.headCell(column));
		const grouped = this.columns.some((column) => column.group);
		this.head.replaceChildren(...(grouped ? [groups, row] : [row]));
		this.scroller.setAttribute('aria-colcount', String(this.columns.length));
	}

	private headCell(column: Column): HTMLElement {
		const active = this.sort?.key === column.key;
		const direction = active ? (this.sort!.descending ? 'descending' : 'ascending') : undefined;
		const title = column.group ? `${column.group} ${column.title}` : column.title;
		const content = column.sortValue ?
			h('button.sort', {
				type: 'button', title: column.hint ?? `Sort by ${title.toLowerCase()}`, 'data-key': column.key,
				'aria-label': title, onclick: () => this.sortBy(column.key),
			}, column.title, h('span.arrow', { 'aria-hidden': 'true' }, active ? (this.sort!.descending ? '▾' : '▴') : '')) :
			h('span', { title: column.hint ?? '' }, column.title);
		return h(`div.cell.${column.kind}`, { role: 'columnheader', 'aria-sort': direction }, content);
	}

	/** Makes all rows in sight again. */
	refresh(): void {
		this.live.clear();
		this.body.replaceChildren();
		this.emptyNote.hidden = this.rows.length > 0;
		this.spacer.style.height = `${this.height()}px`;
		this.scroller.setAttribute('aria-rowcount', String(this.rows.length + 1));
		this.render();
	}

	private render(): void {
		const first = this.firstInSight();
		const from = Math.max(0, Math.floor(first) - SPARE);
		const to = Math.min(this.rows.length, Math.ceil(first + this.viewRows()) + (this.printing ? 0 : SPARE));
		for (const [index, element] of this.live)
			if (index < from || index >= to) {
				element.remove();
				this.live.delete(index);
			}
		const top = this.printing ? 0 : this.scroller.scrollTop - first * this.rowHeight;
		const fresh = document.createDocumentFragment();
		for (let index = from; index < to; index++) {
			let element = this.live.get(index);
			if (!element) {
				element = this.makeRow(index);
				this.live.set(index, element);
				fresh.append(element);
			}
			element.style.transform = `translateY(${Math.round(top + index * this.rowHeight)}px)`;
		}
		this.body.append(fresh);
		if (this.cursor >= from && this.cursor < to)
			this.scroller.setAttribute('aria-activedescendant', `${this.id}-${this.cursor}`);
		else
			this.scroller.removeAttribute('aria-activedescendant');
	}

	private makeRow(index: number): HTMLElement {
		const row = this.rows[index]!;
		const tree = this.options.tree;
		const open = tree?.expanded(row);
		const element = h('div.grid-row.data', {
			role: 'row', id: `${this.id}-${index}`, 'data-index': index, 'aria-rowindex': index + 2,
			'aria-selected': index === this.cursor, 'aria-level': tree ? tree.level(row) + 1 : undefined,
			'aria-expanded': typeof open === 'boolean' ? String(open) : undefined,
		});
		element.setAttribute('aria-selected', String(index === this.cursor));
		const extra = this.options.rowClass?.(row);
		if (extra)
			element.classList.add(...extra.split(' '));
		if (this.linked.has(row))
			element.classList.add('linked');
		for (const column of this.columns)
			element.append(this.makeCell(column, row, open));
		return element;
	}

	private makeCell(column: Column, row: number, open: boolean | null | undefined): HTMLElement {
		const text = column.text(row);
		const cell = h(`div.cell.${column.kind}`, { role: 'gridcell' });
		const extra = column.className?.(row);
		if (extra)
			cell.classList.add(extra);
		if (column.share) {
			const share = Math.max(0, Math.min(1, column.share(row)));
			cell.classList.add('bar');
			cell.style.setProperty('--share', `${(100 * share).toFixed(2)}%`);
		}
		const heat = column.heat?.(row) ?? null;
		if (heat !== null) {
			cell.classList.add('heat');
			cell.style.setProperty('--heat', Math.max(0, Math.min(1, heat)).toFixed(3));
		}
		if (column.hintOf)
			cell.title = column.hintOf(row);
		if (column.render) {
			cell.append(column.render(row));
		} else if (column.kind === 'name') {
			const deepest = (this.nameCharacters * characterWidth()) / 2;
			const indent = this.options.tree ? Math.min(this.options.tree.level(row) * 13, deepest) + 16 : 0;
			const room = this.nameCharacters - Math.ceil(indent / characterWidth());
			cell.style.paddingLeft = `${8 + indent}px`;
			if (typeof open === 'boolean')
				cell.append(h('span.twisty', { 'aria-hidden': 'true' }, open ? '▾' : '▸'));
			cell.append(shorten(text, Math.max(room, 8)));
			cell.title = text.length > 2000 ? shorten(text, 2000) : text;
		} else {
			cell.append(text.length > 400 ? shorten(text, 400) : text);
			if (column.kind === 'text' && text.length > 12)
				cell.title = text.length > 2000 ? shorten(text, 2000) : text;
		}
		return cell;
	}
}
