// Reads the data and puts the page together: head, views, the pane of the selected function, keys.
import { Address, readAddress } from './address.ts';
import { h, replace } from './dom.ts';
import { shorten } from './format.ts';
import { Comparison } from './model/compare.ts';
import { readData } from './model/data.ts';
import { Profile } from './model/profile.ts';
import { copyText } from './parts/copy.ts';
import { unfilteredText } from './parts/chosen_time.ts';
import { filterChips, openFilter } from './parts/filter_dialog.ts';
import { openHelp } from './parts/help.ts';
import { forgetTheme, Palette } from './parts/palette.ts';
import { restoreTheme, toggleTheme } from './parts/theme.ts';
import { State, type Change } from './state.ts';
import type { Context, View } from './views/context.ts';
import { Pane } from './views/pane.ts';
import { FlameView } from './views/flame.ts';
import { functionActions, shapeSwitch } from './views/frame_actions.ts';
import { TreeView } from './views/tree.ts';
import { makeViews } from './views/views.ts';

/** Views beside which the selected function is of use. */
const WITH_PANE = new Set(['functions', 'calltree', 'flame', 'lines', 'methods', 'os']);

class Page {
	private readonly views: View[];
	private readonly stale = new Set<View>();
	private readonly tabs = new Map<View, HTMLElement>();
	private readonly main = h('main', { id: 'main', tabindex: -1 });
	private readonly chips = h('div.chips');
	/** What the current view does not follow. */
	private readonly unfiltered = h('p.unfiltered', { role: 'status' });
	private readonly search = h('input', {
		type: 'search', id: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions', title: 'A part of a name, or /a regular expression/ (press /)',
		autocomplete: 'off', spellcheck: 'false', oninput: () => this.state.set('query', this.search.value),
		onkeydown: (event) => this.onSearchKey(event as KeyboardEvent),
	});
	private readonly pane: Pane;
	private readonly context: Context;
	private readonly quantityInputs: HTMLInputElement[] = [];
	private readonly kindInputs: HTMLInputElement[] = [];
	private current: View;
	private restoring = false;

	constructor(private readonly state: State) {
		const context: Context = this.context = {
			state, palette: new Palette(state.profile),
			comparison: state.base ? new Comparison(state.profile, state.base) : null,
			open: (name) => this.open(name),
		};
		this.views = makeViews(context);
		this.pane = new Pane(context);
		this.pane.element.hidden = true; /* until it has its place */
		readAddress(state, location.hash);
		this.current = this.viewOf(state.view);
		replace(document.getElementById('app')!, this.top(), this.tabList(), this.unfiltered, h('div.body', {}, this.main, this.pane.element));
		state.onChange((change) => this.onChange(change));
		addEventListener('keydown', (event) => this.onKey(event));
		this.restored();
		new Address(state, () => this.restore());
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { forgetTheme(); state.tell('theme'); });
		this.render();
	}

	private viewOf(name: string): View {
		return this.views.find((view) => view.name === name) ?? this.views[0]!;
	}

	/** Shows what the address says: somebody gave it, or went back to it. */
	private restore(): void {
		this.restoring = true;
		readAddress(this.state, location.hash);
		this.restoring = false;
		for (const view of this.views)
			this.stale.add(view);
		this.current = this.viewOf(this.state.view);
		this.restored();
		this.render();
	}

	private restored(): void {
		const { state } = this;
		this.search.value = state.query;
		this.quantityInputs[state.measure.quantity]!.checked = true;
		this.kindInputs[state.measure.inclusive ? 0 : 1]!.checked = true;
		this.sayFilters();
		this.pane.update();
	}

	private sayFilters(): void {
		replace(this.chips, ...filterChips(this.state));
		this.unfiltered.textContent = unfilteredText(this.state, this.current.name);
	}

	/* ---- head ---- */

	private top(): HTMLElement {
		const { profile, base } = this.state;
		const { header } = profile;
		const date = header.begin_unix_ms ? new Date(header.begin_unix_ms).toISOString().replace('T', ' ').slice(0, 16) + ' UTC' : '';
		document.title = `${shorten(header.command_line || header.profile, 60)} – tare`;
		return h('header.top', {},
			h('a.skip', { href: '#main', onclick: (event) => { event.preventDefault(); this.current.focus(); } }, 'Skip to the view'),
			h('div.brand', {}, h('span.logo', { 'aria-hidden': 'true' }), h('b', {}, 'tare')),
			h('div.what', {}, h('h1.name', { title: shorten(header.command_line, 2000) }, shorten(header.command_line || header.profile, 90)),
				h('span.muted', {}, [header.host, date, base ? `compared with ${shorten(base.header.profile, 60)}` : ''].filter(Boolean).join(' · '))),
			h('div.tools', {}, this.measures(), this.search,
				shapeSwitch(this.state, 'myCode', 'My code', 'Hides functions of system modules; their time goes to the caller that is yours (y)'),
				h('button.button', { type: 'button', title: 'Leave out threads or modules (f)', onclick: () => openFilter(this.state) }, 'Filter'),
				h('button.button.icon', { type: 'button', title: 'Light or dark (t)', 'aria-label': 'Light or dark', onclick: () => this.theme() }, '◐'),
				h('button.button.icon', { type: 'button', title: 'Keys (?)', 'aria-label': 'Keys', onclick: openHelp }, '?')));
	}

	private measures(): HTMLElement {
		const { profile, measure } = this.state;
		const radio = (name: string, title: string, checked: boolean, inputs: HTMLInputElement[]) => {
			const input = h('input', { type: 'radio', name, checked, value: title.toLowerCase(), onchange: () => this.chooseMeasure() });
			inputs.push(input);
			return h('label', {}, input, h('span', {}, title));
		};
		return h('div.measures', {},
			h('fieldset.segments', {}, h('legend.unseen', {}, 'Value'), ...profile.header.quantities.map((quantity, q) => radio('quantity', quantity.title, q === measure.quantity, this.quantityInputs))),
			h('fieldset.segments', {}, h('legend.unseen', {}, 'Of calls'), radio('kind', 'Inclusive', measure.inclusive, this.kindInputs), radio('kind', 'Exclusive', !measure.inclusive, this.kindInputs)));
	}

	private chooseMeasure(): void {
		const quantity = this.quantityInputs.findIndex((input) => input.checked);
		const inclusive = this.kindInputs[0]!.checked;
		this.state.set('measure', this.state.profile.measures.find((measure) => measure.quantity === quantity && measure.inclusive === inclusive)!);
	}

	private theme(): void {
		toggleTheme();
		this.state.tell('theme');
	}

	private tabList(): HTMLElement {
		const list = h('div.tabs', { role: 'tablist', 'aria-label': 'Views', onkeydown: (event) => this.onTabKey(event as KeyboardEvent) });
		this.views.forEach((view, i) => {
			const tab = h('button.tab', { type: 'button', role: 'tab', id: `tab-${view.name}`, 'aria-controls': 'view', title: i < 9 ? `${view.title} (${i + 1})` : view.title, onclick: () => this.open(view.name) }, view.title);
			this.tabs.set(view, tab);
			list.append(tab);
		});
		return h('nav.nav', { 'aria-label': 'Views' }, list, this.chips);
	}

	/* ---- views ---- */

	private open(name: string): void {
		const [wanted, what] = name.split(':');
		const view = this.viewOf(wanted!);
		const changed = view !== this.current;
		this.current = view;
		if (changed)
			this.render();
		this.state.set('view', view.name);
		if (what === 'hot' && view instanceof TreeView)
			view.showHot();
		else if (changed && document.activeElement === document.body)
			view.focus();
	}

	private render(): void {
		const view = this.current;
		for (const [candidate, tab] of this.tabs) {
			tab.setAttribute('aria-selected', String(candidate === view));
			tab.tabIndex = candidate === view ? 0 : -1;
		}
		this.main.replaceChildren(h('div', { id: 'view', role: 'tabpanel', 'aria-labelledby': `tab-${view.name}` }, view.element));
		const withPane = WITH_PANE.has(view.name);
		document.body.classList.toggle('with-pane', withPane);
		const paneAppears = withPane && this.pane.element.hidden;
		this.pane.element.hidden = !withPane;
		if (paneAppears) /* what fits can be measured only now */
			this.pane.update();
		if (this.stale.delete(view) && 'invalidate' in view)
			(view as View & { invalidate(): void }).invalidate();
		view.show();
	}

	private onChange(change: Change): void {
		const { state } = this;
		if (this.restoring)
			return;
		if (change === 'selected' || change === 'measure' || change === 'filter' || change === 'theme')
			this.pane.update();
		if (change === 'filter' || change === 'shape' || change === 'view')
			this.sayFilters();
		if (change === 'query' && this.search.value !== state.query)
			this.search.value = state.query;
		if (change !== 'selected' && change !== 'view')
			for (const view of this.views)
				if (view !== this.current)
					this.stale.add(view);
		this.current.change(change);
	}

	/* ---- keys ---- */

	private onTabKey(event: KeyboardEvent): void {
		const at = this.views.indexOf(this.current);
		const to: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.views.length - 1 };
		const next = to[event.key];
		if (next === undefined)
			return;
		const view = this.views[(next + this.views.length) % this.views.length]!;
		this.open(view.name);
		this.tabs.get(view)!.focus();
		event.preventDefault();
	}

	private onSearchKey(event: KeyboardEvent): void {
		if (event.key === 'Escape' && this.search.value) {
			this.state.set('query', '');
			event.preventDefault();
		} else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
			this.current.focus();
			event.preventDefault();
		}
	}

	private onKey(event: KeyboardEvent): void {
		if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
			history.go(event.key === 'ArrowLeft' ? -1 : 1);
			event.preventDefault();
		}
		const typing = event.target instanceof HTMLElement && event.target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select');
		if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector('dialog[open], .context-menu'))
			return;
		const number = Number(event.key);
		if (number >= 1 && number <= this.views.length) {
			this.open(this.views[number - 1]!.name);
			this.current.focus();
		} else if (!this.onLetter(event.key)) {
			return;
		}
		event.preventDefault();
	}

	/** The selected function as root of trees, or all again. */
	private toggleRoot(): void {
		const { state } = this;
		if (state.shape.root)
			state.reshape({ root: null });
		else if (state.selected >= 0)
			functionActions(this.context, state.selected)[0]!.run();
	}

	private copyName(): void {
		const { profile, selected } = this.state;
		if (selected >= 0)
			void copyText(profile.functionNames[selected]!, 'Name');
	}

	private copyPath(): void {
		const path = this.current instanceof TreeView || this.current instanceof FlameView ? this.current.pathOfCurrent() : null;
		if (path)
			void copyText(path, 'Call path');
	}

	private onLetter(key: string): boolean {
		const next = (inputs: HTMLInputElement[]) => {
			const at = inputs.findIndex((input) => input.checked);
			inputs[(at + 1) % inputs.length]!.checked = true;
			this.chooseMeasure();
		};
		const actions: Record<string, () => void> = {
			'/': () => { this.search.focus(); this.search.select(); },
			e: () => next(this.quantityInputs),
			i: () => next(this.kindInputs),
			h: () => this.open('calltree:hot'),
			f: () => openFilter(this.state),
			t: () => this.theme(),
			y: () => this.state.reshape({ myCode: !this.state.shape.myCode }),
			r: () => this.toggleRoot(),
			c: () => this.copyName(),
			C: () => this.copyPath(),
			p: () => (this.pane.element.querySelector<HTMLElement>('h2') ?? this.pane.element).focus(),
			'?': openHelp,
		};
		actions[key]?.();
		return key in actions;
	}
}

async function main(): Promise<void> {
	restoreTheme();
	const data = await readData('tare-profile');
	if (!data)
		throw new Error('the page holds no profile; tare view FILE makes one that does');
	const base = await readData('tare-base');
	const state = new State(new Profile(data), base ? new Profile(base) : null);
	const page = new Page(state);
	Object.assign(globalThis, { tarePage: { page, state } }); /* for the browser tests */
	performance.mark('tare-ready');
}

main().catch((error: unknown) => {
	const text = error instanceof Error ? error.message : String(error);
	replace(document.getElementById('app')!, h('p.boot', { role: 'alert' }, `The profile cannot be shown: ${text}.`));
	console.error(error);
});
