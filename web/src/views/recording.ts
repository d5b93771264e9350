// What was recorded, how well, and what is missing: the header of the text reports, line by line.
import { h, replace } from '../dom.ts';
import type { Profile } from '../model/profile.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';

const TITLES: Record<string, string> = { time: 'Time', method: 'Method', INCOMPLETE: 'Incomplete', disarmed: 'Disarmed' };
/** Keys of lines that warn, besides those that begin with an exclamation mark. */
const ALARMS = new Set(['INCOMPLETE', 'disarmed', 'while off', 'too deep']);

const isAlarm = (key: string): boolean => key.startsWith('!') || ALARMS.has(key);
const titleOf = (key: string): string => {
	const name = key.replace(/^! */, '');
	return TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
};

/** Lines that say that something is missing, or to be known before numbers are trusted. */
export function warningsOf(profile: Profile): [string, string][] {
	return profile.header.header.filter(([key]) => isAlarm(key)).map(([key, value]) => [titleOf(key), value]);
}

/** What a line says, one by one. */
const partsOf = (key: string, value: string): string[] => (key === 'method' ? value.split('; ') : [value]);

export class RecordingView implements View {
	readonly name = 'recording';
	readonly title = 'Recording';
	readonly element = h('section.view.recording', { 'aria-label': 'Recording', tabindex: -1 });

	constructor(private readonly context: Context, private readonly tables: View[]) {}

	private lines(profile: Profile, title: string): HTMLElement {
		return h('section.card', {}, h('header', {}, h('h2', {}, title), h('span.muted', {}, profile.header.profile)),
			h('dl.facts', {}, ...profile.header.header.flatMap(([key, value]) => [
				h(isAlarm(key) ? 'dt.alarm' : 'dt', {}, titleOf(key)), ...partsOf(key, value).map((part) => h('dd', {}, part))])));
	}

	show(): void {
		const { profile, base } = this.context.state;
		replace(this.element, this.lines(profile, base ? 'New profile' : 'Recording'), base && this.lines(base, 'Base'),
			...this.tables.map((view) => h('section.card.table-card', {}, h('header', {}, h('h2', {}, view.title)), view.element)));
		for (const view of this.tables)
			view.show();
	}

	change(change: Change): void {
		void change;
	}

	focus(): void {
		this.element.focus();
	}
}
