// What every view is made from.
import type { Comparison } from '../model/compare.ts';
import type { Palette } from '../parts/palette.ts';
import type { Change, State } from '../state.ts';
import { count, percent, time } from '../format.ts';
import { isPlain } from '../model/shape.ts';
import type { Measure, Table } from '../model/profile.ts';

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

/** Before a number of calls, by the cell `disarmed`: it is a lower bound, or some may be missing. */
export const callsSign = (known: unknown): string => (known === 1 ? '≥' : known === 2 ? '≈' : '');

/**
 * By how much a function's value that is by samples may be off, in per cent of the whole; null where the
 * clock knows it, and where threads or paths are left out.
 */
export function marginOf(state: State, table: Table, row: number, measure: Measure): number | null {
	const cell = (name: string) => {
		const column = table.columns.find((candidate) => candidate.name === name);
		return column ? table.value(column, row) : null;
	};
	const [low, high, value] = [cell(`${measure.key}_low`), cell(`${measure.key}_high`), cell(measure.key)];
	const total = state.plain(state.selection.totals[measure.quantity]!, measure.quantity);
	if (typeof low !== 'number' || typeof high !== 'number' || typeof value !== 'number' || !total || !state.selection.isAll || !isPlain(state.shape))
		return null;
	return (100 * Math.max(high - value, value - low)) / total;
}

export function shareText(state: State, value: number, quantity = state.measure.quantity): string {
	const total = state.selection.totals[quantity]!;
	return total ? `${percent(value / total)} %` : '–';
}
