// What every view is made from.
import type { Comparison } from '../model/compare.ts';
import type { Palette } from '../parts/palette.ts';
import type { Change, State } from '../state.ts';
import { count, percent, time } from '../format.ts';

export interface Context {
	state: State;
	palette: Palette;
	comparison: Comparison | null;
	/** Opens a view, with that function in it where it can be. */
	open(view: string): void;
}

export interface View {
	name: string;
	title: string;
	element: HTMLElement;
	/** Called when the view comes into sight, and at changes while it is there. */
	show(): void;
	change(change: Change): void;
	/** Puts the keyboard where it is of most use. */
	focus(): void;
}

export const isTime = (state: State, quantity: number): boolean =>
	state.profile.header.quantities[quantity]!.unit !== '';

/** A value of the current measure, or of another quantity, with its unit. */
export function valueText(state: State, value: number, quantity = state.measure.quantity): string {
	return isTime(state, quantity) ? time(state.plain(value, quantity)) : count(value);
}

export function shareText(state: State, value: number, quantity = state.measure.quantity): string {
	const total = state.selection.totals[quantity]!;
	return total ? `${percent(value / total)} %` : '–';
}
