// Numbers for people, as the text reports have them: digits in groups, times in ms, µs or ns.

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

export function count(value: number): string {
	const sign = value < 0 ? '−' : '';
	return sign + grouped(Math.abs(Math.round(value)).toString());
}

export type Scale = 's' | 'ms' | 'µs' | 'ns';
const UNIT_NS: Record<Scale, number> = { s: 1e9, ms: 1e6, 'µs': 1e3, ns: 1 };

/** The scale for a column whose largest value is that. */
export function scaleFor(largestNs: number): Scale {
	return largestNs >= 1e6 ? 'ms' : largestNs >= 1e3 ? 'µs' : 'ns';
}

/** Without the unit. */
export function timeIn(ns: number, scale: Scale): string {
	if (scale === 'ns')
		return count(ns);
	const [whole, fraction] = (Math.abs(ns) / UNIT_NS[scale]).toFixed(3).split('.') as [string, string];
	return `${ns < 0 ? '−' : ''}${grouped(whole)}.${fraction}`;
}

/** With the unit that suits it by itself. */
export function time(ns: number): string {
	const size = Math.abs(ns);
	const scale: Scale = size >= 1e10 ? 's' : size >= 1e6 ? 'ms' : size >= 1e3 ? 'µs' : 'ns';
	return `${timeIn(ns, scale)} ${scale}`;
}

export function percent(share: number): string {
	const value = 100 * share;
	if (!Number.isFinite(value))
		return '–';
	return `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
}

/** The middle of a name is what it can miss most. */
export function shorten(text: string, characters: number): string {
	if (text.length <= characters)
		return text;
	if (characters < 4)
		return text.slice(0, Math.max(characters, 0));
	const room = characters - 1;
	const head = Math.ceil(room / 2);
	return trimSurrogates(text.slice(0, head), text.slice(text.length - (room - head)));
}

function trimSurrogates(head: string, tail: string): string {
	const begin = /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
	const end = /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
	return `${begin}…${end}`;
}

/** The name of a function without one is its module and an address: that alone, where its module stands beside it. */
export const besideModule = (name: string, module: string): string =>
	name.startsWith(module) && /^\+0x[\da-f]+( \[folded\])?$/.test(name.slice(module.length)) ? name.slice(module.length) : name;

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** With three digits where there are more than five: 39,988,000 is 40.0M. */
export function shortCount(value: number): string {
	const [unit, name] = value >= 999.5e9 ? [1e12, 'T'] : value >= 999.5e6 ? [1e9, 'G'] : value >= 999.5e3 ? [1e6, 'M'] : value >= 1e5 ? [1e3, 'k'] : [1, ''];
	return name ? `${(value / unit).toPrecision(3)}${name}` : count(value);
}
