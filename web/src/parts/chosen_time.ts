// The part of the time that is chosen: what it is, how it is ended, and what of it a view does not follow.
import { time } from '../format.ts';
import type { State } from '../state.ts';
import type { Window } from './time_axis.ts';

/** In ticks since the begin; null: all of the time. Of samples it is whole parts of the timeline. */
export function chosenTime({ bins, choices, profile }: State): Window | null {
	const ticks = profile.header.duration_ticks;
	if (bins)
		return { from: (bins.from / profile.bins) * ticks, to: ((bins.to + 1) / profile.bins) * ticks };
	const chosen = profile.hasTimes || !profile.hasStates ? null : /^(\d+)-(\d+)$/.exec(choices['range'] ?? '');
	return chosen ? { from: Number(chosen[1]), to: Number(chosen[2]) } : null;
}

/** Samples follow, in their 240 parts of the time; calls cannot. */
export function chooseTime(state: State, chosen: Window | null): void {
	const { profile } = state;
	const binOf = (ticks: number) => Math.min(profile.bins - 1, Math.max(0, Math.floor((ticks / profile.header.duration_ticks) * profile.bins)));
	if (profile.hasTimes)
		state.filter({ bins: chosen && { from: binOf(chosen.from), to: binOf(chosen.to) } });
	else
		state.choose('range', chosen ? `${Math.round(chosen.from)}-${Math.round(chosen.to)}` : '');
}

const timeAt = (state: State, ticks: number): string => time(Math.round((ticks * 1e9) / state.profile.header.ticks_per_second));

export const chosenText = (state: State, { from, to }: Window): string => `${timeAt(state, from)} to ${timeAt(state, to)}`;

/** Why what a view has is of all of the time, whichever part is chosen. */
export const timelessText = ({ profile }: State): string =>
	`calls are kept without their times${profile.table('methods') ? ', samples with them (tare view --method=sample)' : ''}`;

/** Views whose rows have nothing that says when it was, even of samples. */
const TIMELESS = new Set(['ranks', 'recording', 'wakers']);

/** What is said above a view that shows all of the time although a part is chosen; '': it follows. */
export function unfilteredText(state: State, view: string): string {
	const chosen = chosenTime(state);
	if (!chosen || view === 'timeline' || (state.profile.hasTimes && !TIMELESS.has(view)))
		return '';
	const why = TIMELESS.has(view) ? 'what it has is known of the whole recording only' : timelessText(state);
	return `This view shows all of the time, not only ${chosenText(state, chosen)}: ${why}.`;
}
