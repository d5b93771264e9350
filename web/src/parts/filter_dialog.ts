// The dialog that leaves out processes and threads (with all their time) or modules (of which only
// rows are hidden), and the chips that say what is left out.
import { h } from '../dom.ts';
import { count, plural, shorten } from '../format.ts';
import type { State } from '../state.ts';
import { valueText } from '../views/context.ts';
import { chosenText, chosenTime, chooseTime } from './chosen_time.ts';

const SHOWN = 400;

interface Item { id: number; title: string; detail: string; group?: number }

class CheckList {
	readonly element: HTMLElement;
	readonly chosen: Set<number>;
	private readonly list = h('div.check-list', { role: 'group' });
	private query = '';
	private most = SHOWN;

	constructor(title: string, private readonly items: Item[], chosen: ReadonlySet<number> | null) {
		this.chosen = new Set(chosen ?? items.map((item) => item.id));
		this.list.setAttribute('aria-label', title);
		const all = (on: boolean) => () => {
			for (const item of this.visible())
				if (on)
					this.chosen.add(item.id);
				else
					this.chosen.delete(item.id);
			this.render();
		};
		this.element = h('section', {}, h('h3', {}, title),
			h('div.bar', {},
				h('input', { type: 'search', placeholder: 'Find', 'aria-label': `Find in ${title.toLowerCase()}`, oninput: (event) => { this.query = (event.target as HTMLInputElement).value.toLowerCase(); this.render(); } }),
				h('button.button', { type: 'button', onclick: all(true) }, 'All'),
				h('button.button', { type: 'button', onclick: all(false) }, 'None')),
			this.list);
		this.render();
	}

	/** null: all are chosen. */
	result(): ReadonlySet<number> | null {
		return this.chosen.size === this.items.length ? null : this.chosen;
	}

	private visible(): Item[] {
		return this.items.filter((item) => item.title.toLowerCase().includes(this.query));
	}

	private render(): void {
		const items = this.visible();
		this.list.replaceChildren(...items.slice(0, this.most).map((item) => h('label', {},
			h('input', { type: 'checkbox', checked: this.chosen.has(item.id), onchange: (event) => {
				if ((event.target as HTMLInputElement).checked)
					this.chosen.add(item.id);
				else
					this.chosen.delete(item.id);
			} }), h('span.name', { title: shorten(item.title, 500) }, shorten(item.title, 48)), h('span.muted', {}, item.detail))));
		if (items.length > this.most)
			this.list.append(h('button.link', { type: 'button', onclick: () => { this.most *= 8; this.render(); } }, `${count(items.length - this.most)} more; show them`));
	}
}

export function openFilter(state: State): void {
	const { profile } = state;
	const { tree } = profile;
	const ticks = new Map(tree.roots.map((root) => [tree.thread[root]!, tree.inclusive[0]![root]!]));
	const several = profile.processes.length > 1;
	const threads = new CheckList('Processes and threads', profile.threads.map((thread, id) => ({
		id, title: (several ? `${profile.processTitle(thread.process)} › ` : '') + profile.threadTitle(id), detail: valueText(state, ticks.get(id) ?? 0, 0),
	})).filter((item) => profile.threads[item.id]!.selected).sort((a, b) => (ticks.get(b.id) ?? 0) - (ticks.get(a.id) ?? 0)), state.threads);
	const modules = new CheckList('Modules', profile.moduleNames.map((title, id) => ({ id, title, detail: shorten(profile.modulePaths[id]!, 40) })), state.modules);
	const dialog = h('dialog.dialog', { 'aria-label': 'Filter' },
		h('form', { method: 'dialog' },
			h('h2', {}, 'Filter'),
			h('p.muted', {}, 'Threads that are left out take all their time with them. Modules only choose which rows are shown.'),
			h('div.columns', {}, threads.element, modules.element),
			h('div.actions', {}, h('button.button', { value: 'cancel' }, 'Cancel'), h('button.button.primary', { value: 'apply' }, 'Apply'))));
	dialog.addEventListener('close', () => {
		if (dialog.returnValue === 'apply') {
			state.filter({ modules: modules.result(), threads: threads.result() });
		}
		dialog.remove();
	});
	document.body.append(dialog);
	dialog.showModal();
}

/** What is left out now, each with a button that ends it. */
export function filterChips(state: State): HTMLElement[] {
	const chip = (text: string, clear: () => void) => h('button.chip', { type: 'button', title: 'Show all again', onclick: clear }, text, h('span', { 'aria-hidden': 'true' }, ' ✕'));
	const chips: HTMLElement[] = [];
	const { profile, threads, modules } = state;
	const chosen = chosenTime(state);
	const { root, myCode } = state.shape;
	const names = (path: number[]) => path.slice(-2).map((func) => shorten(profile.functionNames[func]!, 24)).join(' › ');
	if (root)
		chips.push(chip(`root ${root.path.length > 2 ? '… › ' : ''}${names(root.path)}`, () => state.reshape({ root: null })));
	if (myCode)
		chips.push(chip('my code', () => state.reshape({ myCode: false })));
	if (chosen)
		chips.push(chip(`time ${chosenText(state, chosen)}`, () => chooseTime(state, null)));
	if (threads)
		chips.push(chip(threads.size === 1 ? `thread ${shorten(profile.threadTitle([...threads][0]!), 30)}` : `${count(threads.size)} of ${plural(profile.threads.length, 'thread')}`, () => state.filter({ threads: null })));
	if (modules)
		chips.push(chip(modules.size === 1 ? `module ${shorten(profile.moduleNames[[...modules][0]!]!, 30)}` : `${count(modules.size)} of ${plural(profile.moduleNames.length, 'module')}`, () => state.filter({ modules: null })));
	return chips;
}
