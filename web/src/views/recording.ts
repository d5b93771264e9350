// What was recorded, how well, and what is missing: the header of the text reports, line by line.
import { h, replace } from '../dom.ts';
import type { Profile } from '../model/profile.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';

const ALARMS = new Set(['because', 'INCOMPLETE', 'limits met', 'disarmed', 'while off', 'too deep', 'truncated', 'fallback']);
const TITLES: Record<string, string> = {
	command: 'Command', host: 'Host', recorded: 'Recorded', method: 'Method', clock: 'Clock', extent: 'Extent',
	time: 'Time', 'OS events': 'OS events seen', coverage: 'Coverage', refused: 'Refused', 'probe cost': 'Probe cost',
	accuracy: 'Accuracy', losses: 'Losses', INCOMPLETE: 'Incomplete', 'limits met': 'Limits met', disarmed: 'Disarmed',
	samples: 'Samples', stacks: 'Stacks', discarded: 'Discarded', collector: 'Collector', because: 'Because',
	'while off': 'While off', 'too deep': 'Too deep',
};

/** Lines that say that something is missing. */
export function warningsOf(profile: Profile): [string, string][] {
	return profile.header.header.filter(([key, value]) =>
		ALARMS.has(key) || (key === 'losses' && value !== 'none') || (key === 'OS events' && value.startsWith('not observed')) ||
		(key === 'stacks' && !value.startsWith('0 ')))
		.map(([key, value]) => [TITLES[key] ?? key, value]);
}

export class RecordingView implements View {
	readonly name = 'recording';
	readonly title = 'Recording';
	readonly element = h('section.view.recording', { 'aria-label': 'Recording', tabindex: -1 });

	constructor(private readonly context: Context, private readonly tables: View[]) {}

	private lines(profile: Profile, title: string): HTMLElement {
		return h('section.card', {}, h('header', {}, h('h2', {}, title), h('span.muted', {}, profile.header.profile)),
			h('dl.facts', {}, ...profile.header.header.flatMap(([key, value]) => [
				h(ALARMS.has(key) || (key === 'losses' && value !== 'none') ? 'dt.alarm' : 'dt', {}, TITLES[key] ?? key), h('dd', {}, value)])));
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
