// The times of an axis, at steps that people count in, and how much of the time is in sight.

export interface Window { from: number; to: number }

const UNITS = [{ ns: 1e9, name: 's' }, { ns: 1e6, name: 'ms' }, { ns: 1e3, name: 'µs' }, { ns: 1, name: 'ns' }] as const;

/** 1, 2 or 5 times a power of ten, so that at most so many steps fit. */
export function stepOf(length: number, most: number): number {
	const least = length / Math.max(1, most);
	const power = 10 ** Math.floor(Math.log10(least));
	return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Times in ns with their texts, all in the same unit. */
export function axisOf(from: number, to: number, most: number): { at: number; text: string }[] {
	const step = stepOf(Math.max(to - from, 1e-3), most);
	const unit = UNITS.find(({ ns }) => ns <= Math.max(Math.abs(to), step)) ?? UNITS[3];
	const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit.ns) + 1e-9)));
	const marks: { at: number; text: string }[] = [];
	for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
		marks.push({ at: i * step, text: `${((i * step) / unit.ns).toFixed(decimals)} ${unit.name}` });
	return marks;
}

/** A window of that length within [0, whole], which begins there or as near as can be. */
export function windowAt(from: number, length: number, whole: number, least: number): Window {
	const wide = Math.min(whole, Math.max(length, least));
	const begin = Math.min(Math.max(0, from), whole - wide);
	return { from: begin, to: begin + wide };
}

/** Zoomed so that what is at `at` stays where it is. */
export function zoomed(window: Window, at: number, factor: number, whole: number, least: number): Window {
	const wide = Math.min(whole, Math.max((window.to - window.from) * factor, least));
	return windowAt(at - ((at - window.from) / (window.to - window.from)) * wide, wide, whole, least);
}
