// Pages of the profiles that make_profile makes, what is read off them, and how their tests run.
// Usage of what imports it: node TEST.mjs TARE MAKE_PROFILE; ONLY=WORD runs the tests with it in their name.
import { join, resolve } from 'node:path';
import { check, run, startBrowser, work } from './browser.mjs';

export const [tare, makeProfile] = process.argv.slice(2).map((path) => resolve(path));
export const browser = await startBrowser();
run(makeProfile, work);
export const profile = (name) => join(work, `${name}.tare`);
const made = new Map();

export function pageOf(name, ...options) {
	const file = join(work, `${name}${options.join('').replace(/[^a-z]/g, '-')}.html`);
	if (!made.has(file))
		run(tare, 'view', profile(name), '-o', file, ...options);
	made.set(file, true);
	return file;
}

export const report = (...args) => JSON.parse(run(tare, 'report', ...args, '--format=json'));
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const UNITS = { s: 1e9, ms: 1e6, 'µs': 1e3, ns: 1 };
/** As text reports have it: three decimals, but of ns. */
export const timeIn = (ns, unit) => {
	const [whole, decimals] = (ns / UNITS[unit]).toFixed(unit === 'ns' ? 0 : 3).split('.');
	return grouped(whole) + (decimals ? `.${decimals}` : '');
};
export const time = (ns) => {
	const unit = ns >= 1e10 ? 's' : ns >= 1e6 ? 'ms' : ns >= 1e3 ? 'µs' : 'ns';
	return `${timeIn(ns, unit)} ${unit}`;
};
export const text = (locator) => locator.evaluateAll((elements) => elements.map((element) => element.textContent));
export const view = (page, title) => page.getByRole('tab', { name: title, exact: true }).click();
export const rows = (page) => page.locator('.grid-row.data');

/** The cells of a grid's rows by their column's key. */
export async function cells(page, key) {
	const index = await page.locator('.grid-head [role=columnheader]').evaluateAll((heads, wanted) =>
		heads.findIndex((head) => head.querySelector(`[data-key="${wanted}"]`)), key);
	check(index >= 0, `no column ${key}`);
	return rows(page).evaluateAll((all, column) => all.sort((a, b) => a.dataset.index - b.dataset.index)
		.map((row) => row.children[column].textContent), index);
}

/** What a column of times should show of the rows of a report, in the unit that its head names. */
export async function times(page, measure, table) {
	const unit = (await page.locator(`[data-key=${measure}]`).textContent()).replace(/[▾▴]/, '').split(' ').at(-1);
	return table.map((row) => timeIn(row[`${measure}_ns`], unit));
}

/** Each returns what it has seen that must not be, and how its page is closed. */
export async function runTests(tests) {
	let failed = 0;
	const wanted = process.env.ONLY;
	for (const [name, test] of Object.entries(tests)) {
		if (wanted && !name.includes(wanted))
			continue;
		try {
			const { problems, close } = await test();
			await close?.();
			if (problems.length)
				throw new Error(problems.join('\n  '));
			console.log(`ok: ${name}`);
		} catch (error) {
			failed++;
			console.log(`FAILED: ${name}: ${error.stack.split('\n').slice(0, 4).join('\n')}`);
		}
	}
	await browser.close();
	console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
	process.exit(failed ? 1 : 0);
}
