// What to see first: how much time there was, what the system took of it, where it went.
import { h, replace } from '../dom.ts';
import { count, percent, plural, shorten, time } from '../format.ts';
import { hotPath } from '../model/frames.ts';
import { areaChart } from '../parts/area_chart.ts';
import { barList, stackedBar, type Bar, type Part } from '../parts/bars.ts';
import type { Change } from '../state.ts';
import { shareText, valueText, type Context, type View } from './context.ts';
import { warningsOf } from './recording.ts';

const TOP = 12;
/** What threads did while samples of these events went on. */
const OF_THREADS: Record<string, string> = { 'off-cpu': 'Threads waiting over time', preempted: 'Threads that could run over time' };

/** Bins of some samples each: with fewer, chance would show more than the program. */
function joinBins(values: number[], samples: number): number[] {
	const wanted = Math.max(12, Math.min(values.length, samples / 12));
	const factor = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20].find((candidate) => values.length / candidate <= wanted) ?? 20;
	return Array.from({ length: values.length / factor }, (_, i) => values.slice(i * factor, (i + 1) * factor).reduce((sum, value) => sum + value, 0));
}

export class SummaryView implements View {
	readonly name = 'summary';
	readonly title = 'Summary';
	readonly element = h('section.view.summary', { 'aria-label': 'Summary', tabindex: -1 });
	private stale = true;

	constructor(private readonly context: Context) {}

	private get state() { return this.context.state; }

	private select(func: number, view: string): void {
		this.state.set('selected', func);
		this.context.open(view);
	}

	private figures(): HTMLElement {
		const { profile, selection } = this.state;
		const { header } = profile;
		const figure = (title: string, value: string, detail: string) =>
			h('div.figure', {}, h('dt', {}, title), h('dd', {}, h('b', {}, value), h('span.muted', {}, detail)));
		const figures = header.quantities.map((quantity, q) => figure(quantity.title,
			valueText(this.state, selection.totals[q]!, q), q && quantity.unit === header.quantities[0]!.unit ?
				`${percent(selection.totals[q]! / (selection.totals[0] || 1))} % of ${header.quantities[0]!.title.toLowerCase()}` : 'sum over all threads'));
		figures.push(figure('Ran for', time(profile.ns(header.duration_ticks)), plural(selection.roots.length, 'thread') + (profile.processes.length > 1 ? `, ${plural(profile.processes.length, 'process', 'processes')}` : '')));
		const fact = (name: string) => Number(header.facts[name] ?? 0);
		/* As text has it: of what was to be instrumented, without what was not selected. */
		const instrumented = fact('functions_instrumented') + fact('functions_part');
		const selected = instrumented + fact('functions_refused');
		if (selected && profile.hasCalls)
			figures.push(figure('Coverage', `${percent(instrumented / selected)} %`, `${count(instrumented)} of ${plural(selected, 'selected function')} have probes`));
		if (profile.hasCalls)
			figures.push(figure('Probe cost', time(fact('overhead_ns')), `subtracted already; times ± ${time(fact('error_ns'))}`));
		if (!profile.hasCalls)
			figures.push(figure('Truncated stacks', count(fact('samples_truncated')), `of ${plural(fact('samples'), 'sample')}; ${count(fact('samples_lost'))} lost`));
		return h('dl.figures', {}, ...figures);
	}

	private parts(): HTMLElement | null {
		const { profile, selection } = this.state;
		const elapsed = profile.header.quantities.findIndex((quantity) => quantity.name === 'elapsed');
		const application = profile.header.quantities.findIndex((quantity) => quantity.name === 'application');
		if (elapsed < 0 || application < 0)
			return null;
		const parts: Part[] = [{
			title: 'Application', value: selection.totals[application]!,
			text: time(profile.ns(selection.totals[application]!)), color: 'var(--cause-0)',
		}];
		profile.header.causes.forEach((cause, c) => parts.push({
			title: profile.causeTitle(cause), value: selection.osTotals[c]!, text: time(profile.ns(selection.osTotals[c]!)),
			color: profile.causeColor(cause),
		}));
		return stackedBar('Elapsed time by what it was spent on', parts);
	}

	/** Where it is known when samples were taken, or CPU time was used. */
	private overTime(): HTMLElement | null {
		const { profile } = this.state;
		const { header } = profile;
		if (header.quantities[0]!.unit === 'ticks')
			return this.cpuUse(Array.from(profile.data.numbers('timeline.cpu')), 'CPU use over time', null);
		const weight = header.quantities.find((quantity) => quantity.name === 'weight');
		const samples = profile.data.numbers('timeline.samples');
		const number = samples.reduce((sum, n) => sum + n, 0);
		if (weight?.unit === 'ns')
			return this.cpuUse(joinBins(Array.from(profile.data.numbers('timeline.weight')), number), OF_THREADS[weight.title] ?? 'CPU use over time', null, number);
		return this.cpuUse(joinBins(Array.from(samples), number), 'Samples over time', count, number);
	}

	/** `text`: of numbers; null: the values are ns, shown as processors at work. */
	private cpuUse(values: number[], title: string, text: ((value: number) => string) | null, known = -1): HTMLElement | null {
		const { state } = this;
		const { profile } = state;
		if (!values.length)
			return null;
		const binNs = profile.ns(profile.header.duration_ticks) / values.length;
		const factor = profile.bins / values.length;
		const { bins } = state;
		const all = profile.header.quantities.find(({ name }) => name === 'samples')?.total ?? 0;
		const unknown = known >= 0 && known < all ? `when ${plural(all - known, 'more sample')} were taken is not known` : '';
		return this.card(title, [text || title.startsWith('Threads') ? '' : 'processors at work', state.threads ? 'of all threads' : '', unknown].filter(Boolean).join(', '),
			areaChart({
				label: title, values: text ? values : values.map((value) => value / binNs),
				text: text ?? ((value) => value.toFixed(2)), time: (bin) => time(bin * binNs),
				chosen: bins && { from: Math.floor(bins.from / factor), to: Math.floor(bins.to / factor) },
				onChoose: profile.hasTimes ? (span) => state.filter({ bins: span && { from: span.from * factor, to: (span.to + 1) * factor - 1 } }) : undefined,
			}));
	}

	private topFunctions(): HTMLElement {
		const { state } = this;
		const { profile, measure } = state;
		const values = state.selection.functions();
		const ticks = values.exclusive[measure.quantity]!;
		const order = Array.from(ticks.keys()).filter((func) => ticks[func]! > 0 && state.showsFunction(func));
		order.sort((a, b) => ticks[b]! - ticks[a]!);
		const total = state.total() || 1;
		const list = barList('Functions with most individual work', order.slice(0, TOP).map((func) => ({
			label: shorten(profile.functionNames[func]!, 64), title: shorten(profile.functionNames[func]!, 1000),
			share: ticks[func]! / total, detail: profile.moduleOf(func),
			text: `${valueText(state, ticks[func]!)} · ${percent(ticks[func]! / total)} %`,
			color: this.context.palette.module(profile.functionModules[func]!),
			onclick: () => this.select(func, 'functions'),
		})), 'No function ran.');
		return this.card('Functions with most individual work', `${profile.header.quantities[measure.quantity]!.title} exclusive`, list,
			h('button.link', { type: 'button', onclick: () => this.context.open('functions') }, `All ${plural(order.length, 'function')}`));
	}

	private hot(): HTMLElement {
		const { state } = this;
		const frames = state.frames('threads');
		const path = hotPath(frames, 0, state.measure.quantity, 0.5).slice(1);
		const skipped = path.length > 16 ? path.length - 16 : 0;
		const shown = skipped ? [...path.slice(0, 6), ...path.slice(-10)] : path;
		const total = state.total() || 1;
		const bars: Bar[] = shown.map((node) => {
			const value = frames.value(node, state.measure.quantity, true);
			const func = frames.func(node);
			return {
				label: shorten(frames.label(node), 60), title: shorten(frames.label(node), 1000),
				indent: Math.min(frames.depth(node) - 1, 12), share: value / total,
				detail: state.profile.moduleOf(func),
				text: `${percent(value / total)} %`,
				color: func < 0 ? 'var(--above)' : this.context.palette.module(state.profile.functionModules[func]!),
				onclick: () => { state.set('selected', func); this.context.open('calltree:hot'); },
			};
		});
		if (skipped)
			bars.splice(6, 0, { label: `… ${count(skipped)} more`, share: 0, text: '', indent: 6 });
		return this.card('Hot path', 'each has at least half of its caller’s time',
			barList('Hot path', bars, 'No child has half of its parent’s time.'),
			h('button.link', { type: 'button', onclick: () => this.context.open('calltree:hot') }, 'Show in the call tree'));
	}

	private threads(): HTMLElement | null {
		const { state } = this;
		const { profile, selection } = state;
		const { header } = profile;
		const { tree } = selection;
		if (selection.roots.length < 2)
			return null;
		const end = Math.max(header.duration_ticks, ...profile.threads.map((thread) => thread.end), 1);
		const quantity = state.measure.quantity;
		const value = (root: number) => tree.inclusive[quantity]![root]!;
		const roots = [...selection.roots].sort((a, b) => value(b) - value(a)).slice(0, 24)
			.sort((a, b) => profile.threads[tree.thread[a]!]!.begin - profile.threads[tree.thread[b]!]!.begin);
		const timed = header.quantities[quantity]!.unit === 'ticks';
		const most = Math.max(1, ...roots.map(value));
		const rows = roots.map((root) => {
			const thread = profile.threads[tree.thread[root]!]!;
			const until = thread.end || end;
			const share = Math.min(1, value(root) / (timed ? Math.max(until - thread.begin, 1) : most));
			const causes = timed ? this.causesOf(tree.thread[root]!).map(({ title: cause, ticks }) => `, ${time(profile.ns(ticks))} ${cause}`).join('') : '';
			const title = `${profile.threadTitle(tree.thread[root]!)}: ${time(profile.ns(thread.begin))} to ${time(profile.ns(until))}, ${valueText(state, value(root))} ${header.quantities[quantity]!.title.toLowerCase()}${causes}`;
			return h('li', { title },
				h('span.name.thread-name', {}, shorten(profile.threadTitle(tree.thread[root]!), 26)),
				h('span.lane', {}, h('span.life', { style: `left:${(100 * thread.begin) / end}%;width:${Math.max(0.4, (100 * (until - thread.begin)) / end)}%` },
					...(timed ? this.lifeOf(tree.thread[root]!, value(root), Math.max(until - thread.begin, 1)) : [h('span.busy', { style: `width:${(100 * share).toFixed(1)}%` })]))),
				h('span.bar-text', {}, valueText(state, value(root))));
		});
		const left = selection.roots.length - rows.length;
		return this.card('Threads over time', timed ? 'from begin to end; filled: what its time was spent on, in the colours of the bar above' : `from begin to end; filled: ${header.quantities[quantity]!.title.toLowerCase()}`,
			h('ol.lanes', { 'aria-label': 'Threads over time' }, ...rows),
			h('span.muted', {}, left ? `${plural(left, 'thread')} with less time not shown` : ''),
			h('button.link', { type: 'button', onclick: () => this.context.open('threads') }, 'All threads'));
	}

	private causesOf(thread: number): { title: string; ticks: number; color: string; wait: boolean }[] {
		const { profile } = this.state;
		const os = profile.osByThread();
		return profile.header.causes.map((cause, c) => ({ title: profile.causeTitle(cause), ticks: os[c]![thread]!, color: profile.causeColor(cause), wait: profile.isWait(cause) }))
			.filter(({ ticks }) => ticks > 0);
	}

	/** Application and OS time as parts of a thread's life; `value` has all of that where it is elapsed time, and no waits where it is CPU time. */
	private lifeOf(thread: number, value: number, life: number): HTMLElement[] {
		const { profile, measure } = this.state;
		const { name } = profile.header.quantities[measure.quantity]!;
		const causes = this.causesOf(thread);
		const os = name === 'application' ? 0 : causes.reduce((sum, { ticks, wait }) => sum + (name === 'cpu' && wait ? 0 : ticks), 0);
		const part = (ticks: number, color: string) => h('span.spent', { style: `width:${Math.min(100, (100 * ticks) / life).toFixed(2)}%;background:${color}` });
		return [part(Math.max(0, value - os), 'var(--cause-0)'), ...causes.map(({ ticks, color }) => part(ticks, color))];
	}

	private compared(): HTMLElement | null {
		const { comparison, state } = this.context;
		if (!comparison)
			return null;
		const { measure, profile, selection } = state;
		const base = state.baseOf();
		const rows: { name: string; module: string; func: number; delta: number }[] = [];
		for (let func = 0; func < profile.functionCount; func++) {
			const other = comparison.inBase[func]!;
			const delta = selection.of(func, measure.quantity, false) - (other < 0 ? 0 : comparison.scaled(base.of(other, measure.quantity, false), measure.quantity));
			if (delta)
				rows.push({ name: profile.functionNames[func]!, module: profile.moduleOf(func), func, delta });
		}
		for (const func of comparison.vanished) {
			const delta = -comparison.scaled(base.of(func, measure.quantity, false), measure.quantity);
			if (delta)
				rows.push({ name: comparison.base.functionNames[func]!, module: comparison.base.moduleOf(func), func: -1, delta });
		}
		rows.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
		const most = Math.abs(rows[0]?.delta ?? 1);
		const now = selection.totals[measure.quantity]!;
		const before = comparison.scaled(base.totals[measure.quantity]!, measure.quantity);
		const sign = (value: number) => (value > 0 ? '+' : '');
		return this.card('What has changed', `${profile.header.quantities[measure.quantity]!.title} exclusive, new less base`,
			h('p.delta-total', {}, h('b', {}, `${sign(now - before)}${valueText(state, now - before)}`), ` in all: ${valueText(state, before)} before, ${valueText(state, now)} now`,
				before ? ` (${sign(now - before)}${percent((now - before) / before)} %)` : ''),
			barList('What has changed', rows.slice(0, TOP).map((row) => ({
				label: shorten(row.name, 64), title: shorten(row.name, 1000), share: Math.abs(row.delta) / most, detail: row.module,
				text: `${sign(row.delta)}${valueText(state, row.delta)}`, color: row.delta > 0 ? 'var(--more-fill)' : 'var(--less-fill)',
				onclick: row.func < 0 ? undefined : () => this.select(row.func, 'functions'),
			})), 'Nothing differs.'));
	}

	private card(title: string, subtitle: string, ...children: (Node | null)[]): HTMLElement {
		return h('section.card', {}, h('header', {}, h('h2', {}, title), h('span.muted', {}, subtitle)), ...children);
	}

	private render(): void {
		this.stale = false;
		const { profile } = this.state;
		const label = this.element.contains(document.activeElement) ? document.activeElement!.getAttribute('aria-label') : null;
		const warnings = warningsOf(profile);
		const base = this.state.base ? warningsOf(this.state.base) : [];
		replace(this.element,
			warnings.length > 0 && h('ul.warnings', { 'aria-label': 'What limits this profile' }, ...warnings.map(([key, value]) => h('li', {}, h('b', {}, key), ` ${value}`))),
			base.length > 0 && h('ul.warnings', { 'aria-label': 'What limits the base' }, ...base.map(([key, value]) => h('li', {}, h('b', {}, `base: ${key}`), ` ${value}`))),
			this.figures(), this.parts(), this.overTime(),
			h('div.cards', {}, this.compared(), this.topFunctions(), this.hot(), this.threads(), this.osCard()));
		/* The slider that was moved goes on being moved. */
		if (label)
			this.element.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`)?.focus();
	}

	private osCard(): HTMLElement | null {
		const { profile } = this.state;
		const table = profile.table('os');
		if (!table?.rows)
			return null;
		const column = (name: string) => table.columns.find((candidate) => candidate.name === name)!;
		const total = this.state.selection.totals[0] || 1;
		const rows = Array.from({ length: Math.min(8, table.rows) }, (_, row) => row);
		return this.card('OS time by cause and place', this.state.selection.isAll ? 'share of elapsed time' : 'of all threads',
			barList('OS time', rows.map((row) => {
				const ns = Number(table.value(column('os_time'), row) ?? 0);
				const ticks = ns * profile.header.ticks_per_second / 1e9;
				const func = table.subject.function[row]!;
				const cause = String(table.value(column('cause'), row));
				return {
					label: shorten(String(table.value(column('function'), row) ?? ''), 44), share: ticks / total,
					detail: [profile.causeTitle(cause), table.value(column('syscall'), row), table.value(column('object'), row)].filter(Boolean).join(' · '),
					text: `${time(ns)} · ${shareText(this.state, ticks, 0)}`, color: profile.causeColor(cause, '-soft'),
					onclick: func < 0 ? undefined : () => this.select(func, 'functions'),
				};
			}), 'None.'),
			h('button.link', { type: 'button', onclick: () => this.context.open('os') }, 'All OS time'));
	}

	show(): void {
		if (this.stale)
			this.render();
	}

	change(change: Change): void {
		if (change === 'measure' || change === 'filter' || change === 'shape' || change === 'theme')
			this.render();
	}

	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.element.focus();
	}
}
