// What tare itself reports of a profile, by the names that exports use; and the comparison with what
// a foreign reader has made of an export.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run, work } from '../web/browser.mjs';

export const OUTSIDE = '[outside of functions]';

/** RFC 4180: rows as objects by the names of the header line. */
export function parseCsv(text) {
	const rows = [];
	let row = [], cell = '', quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted && c === '"' && text[i + 1] === '"')
			cell += text[++i];
		else if (c === '"')
			quoted = !quoted;
		else if (!quoted && (c === ',' || c === '\n')) {
			row.push(cell.replace(/\r$/, ''));
			cell = '';
			if (c === '\n') {
				rows.push(row);
				row = [];
			}
		} else
			cell += c;
	}
	const [names, ...rest] = rows;
	return rest.map((cells) => Object.fromEntries(names.map((name, i) => [name, asNamed(cells[i])])));
}

/** A cell without the apostrophe that keeps spreadsheets from running it (docs/reference/columns.md). */
function asNamed(cell) {
	return cell?.replace(/^'(?=\s*[=+\-@])/, '');
}

/** Names without what tells twins apart; blanks and what formats keep for themselves are one sign. */
export function plain(name) {
	return name.replace(/ @0x[0-9a-f]+$/, '').replace(/[;:]/g, '?').trim();
}

const COLUMNS = {
	cpu: ['cpu_exclusive_ns', 'cpu_inclusive_ns'],
	elapsed: ['elapsed_exclusive_ns', 'elapsed_inclusive_ns'],
	application: ['application_exclusive_ns', 'application_inclusive_ns'],
	calls: ['calls', null],
	samples: ['exclusive_samples', 'inclusive_samples'],
	weight: ['exclusive_weight', 'inclusive_weight'],
};

const sum = (values) => [...values].reduce((a, b) => a + b, 0);

/** The views of a profile, and its measures by the names that exports give them. */
export class Report {
	constructor(tare, profile, options = []) {
		this.profile = profile;
		this.options = options;
		const view = (name, ...more) => run(tare, 'report', name, profile, ...options, ...more);
		this.functions = parseCsv(view('functions', '--format=csv', '--columns=all'));
		this.threads = parseCsv(view('threads', '--format=csv', '--columns=all'));
		this.processes = parseCsv(view('processes', '--format=csv', '--columns=all'));
		this.paths = parseCsv(view('calltree', '--format=csv', '--columns=all')).filter((row) => row.function);
		this.header = JSON.parse(view('functions', '--format=json', '--limit=1')).header;
		this.sampled = options.includes('--method=sample') || this.header.method === 'sample';
		this.measures = this.sampled ? { samples: COLUMNS.samples, [this.header.event]: COLUMNS.weight }
			: { cpu: COLUMNS.cpu, elapsed: COLUMNS.elapsed, application: COLUMNS.application, calls: COLUMNS.calls };
		this.first = Object.keys(this.measures)[0];
		this.names = new Map(); // plain name -> how many functions have it
		for (const row of this.functions)
			this.names.set(plain(row.function), (this.names.get(plain(row.function)) ?? 0) + 1);
	}

	/** The sum of all exclusive values. */
	total(measure) {
		const lacking = this.header.inconsistent_ns ?? 0;
		if (measure === 'cpu')
			return this.header.cpu_ns - lacking;
		if (measure === 'elapsed')
			return this.header.elapsed_ns - lacking;
		if (measure === 'application')
			return this.header.application_ns - lacking;
		const column = this.measures[measure][this.sampled ? 1 : 0];
		return sum((this.sampled ? this.threads : this.functions).map((row) => Number(row[column])));
	}

	/** Of a row of the threads: all that happened in its functions. */
	threadTotal(row, measure) {
		return Number(row[this.measures[measure][0]]);
	}

	/** Between which numbers of call paths have a value of their own: those of a nanosecond may be rounded to none. */
	pathsWithValue(measure, thread) {
		const column = this.measures[measure][0];
		const values = this.paths.filter((row) => row.thread === thread).map((row) => Number(row[column]));
		const exact = values.filter((value) => value > 0).length;
		return column.endsWith('_ns') ? [values.filter((value) => value > 1).length, exact + values.filter((value) => !value).length]
			: [exact, exact];
	}

	/**
	 * `self` and `total` are maps from a reader's names to values; total may be missing. Sums have to be
	 * those of the report, values of functions too, but for what `slack` parts were rounded by.
	 */
	compare(what, measure, self, total, slack = 0, sumSlack = 1e-3) {
		const fail = (text) => { throw new Error(`${this.profile}: ${what}, ${measure}: ${text}`); };
		const [exclusive, inclusive] = this.measures[measure];
		const mine = (values) => {
			const merged = new Map();
			for (const [name, value] of values)
				if (name !== OUTSIDE)
					merged.set(plain(name), (merged.get(plain(name)) ?? 0) + value);
			return merged;
		};
		const all = sum(self.values());
		if (Math.abs(all - this.total(measure)) > sumSlack)
			fail(`the sum is ${all}, tare reports ${this.total(measure)}`);
		const selfs = mine(self), totals = total && mine(total);
		for (const name of selfs.keys())
			if (!this.names.has(name))
				fail(`tare reports no function ${name}`);
		for (const name of this.names.keys()) {
			const rows = this.functions.filter((row) => plain(row.function) === name);
			const expected = sum(rows.map((row) => Number(row[exclusive])));
			if (Math.abs((selfs.get(name) ?? 0) - expected) > slack)
				fail(`exclusive ${selfs.get(name) ?? 0} of ${name}, tare reports ${expected}`);
			// What has folded is in the values of its callers, but not below them.
			if (!totals || !inclusive || rows.length > 1 || this.header.calls_folded)
				continue;
			if (Math.abs((totals.get(name) ?? 0) - Number(rows[0][inclusive])) > slack)
				fail(`inclusive ${totals.get(name) ?? 0} of ${name}, tare reports ${rows[0][inclusive]}`);
		}
		const ownValue = (name) => sum(this.functions.filter((row) => plain(row.function) === name).map((row) => Number(row[exclusive])));
		const ranked = [...selfs].sort((a, b) => b[1] - a[1]).map(([name]) => ownValue(name));
		if (ranked.some((value, i) => value > ranked[i - 1] + slack))
			fail('the functions with the largest values are others');
		return all;
	}
}

/** Profiles with their options: those named, or what MAKE_PROFILE makes. */
export function made(words) {
	if (words[0].endsWith('.tare'))
		return words.map((word) => [word]);
	const directory = join(work, 'made');
	mkdirSync(directory);
	run(words[0], directory);
	const names = ['work', 'hostile', 'cut', 'sampled', 'both'].map((name) => [join(directory, `${name}.tare`)]);
	// The made samples whose time is known are some of those that are counted.
	return [...names, [join(directory, 'both.tare'), '--method=sample'], [join(directory, 'sampled.tare'), '--from=0']];
}
