// Takes the pictures of docs/images from pages that scripts/pictures made.
// Usage: node pictures.mjs PAGES OUT; ONLY=WORD takes those with it in their name.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openPage, startBrowser } from './browser.mjs';

const [pages, out] = process.argv.slice(2).map((path) => resolve(path));
const browser = await startBrowser();
const LARGEST = 200000; /* bytes */

/** The middle of the longest wait for a lock of which the timeline knows who had it. */
const atLockWait = (page) => page.evaluate(() => {
	const [LOCK, AXIS, ROW] = [3, 24, 20];
	const view = tarePage.page.views.find(({ name }) => name === 'timeline');
	const { states, lanes, canvas } = view;
	const bounds = canvas.canvas.getBoundingClientRect();
	let longest = { ticks: 0, at: null };
	lanes.rows.forEach((row, index) => {
		const [from, to] = row.kind === 'group' ? [0, 0] : states.spansOf(row.threads[0]);
		for (let span = from; span < to; span++) {
			const ticks = states.endOf(row.threads[0], span) - states.begin[span];
			const at = [bounds.left + canvas.xOf(states.begin[span] + ticks / 2), bounds.top + AXIS + (index + 0.5) * ROW];
			if (ticks > longest.ticks && states.valuesOf(span, new Float64Array(6))[LOCK] > 0.9 * ticks && view.waitFacts(row.threads[0], span).some(([title]) => title === 'Held by'))
				longest = { ticks, at };
		}
	});
	if (!longest.at)
		throw new Error('no wait for a lock is known');
	return longest.at;
});

/** `of`: the function to select; `keys` are pressed then; the pointer goes to what `at` finds. */
const pictures = [
	{ name: 'html-summary', page: 'calls', address: '#summary', theme: 'light' },
	{ name: 'html-functions', page: 'calls', address: '#functions&v=application_inclusive', theme: 'light', of: 'sqlite3VdbeExec' },
	{ name: 'html-tree', page: 'calls', address: '#calltree&v=application_inclusive', theme: 'dark', of: 'sqlite3VdbeExec', keys: ['h'] },
	{ name: 'html-flame', page: 'calls', address: '#flame&v=application_inclusive&q=Btree', theme: 'dark', of: 'sqlite3VdbeExec' },
	{ name: 'html-sandwich', page: 'calls', address: '#flame&v=application_inclusive&flame=sandwich', theme: 'light', of: 'sqlite3BtreeInsert' },
	{ name: 'html-samples', page: 'samples', address: '#summary&time=60-150', theme: 'dark' },
	{ name: 'html-compare', page: 'compare', address: '#functions&v=application_inclusive', theme: 'light', of: 'sqlite3BtreeInsert' },
	{ name: 'html-source', page: 'code', address: '#source&v=cpu_exclusive', theme: 'light', of: 'add_words' },
	{ name: 'html-instructions', page: 'code', address: '#instructions&v=cpu_exclusive&bytes=1', theme: 'dark', of: 'add_words', keys: ['ArrowDown'] },
	{ name: 'html-timeline', page: 'threads', address: '#timeline', theme: 'light', at: atLockWait },
	{ name: 'html-locks', page: 'threads', address: '#locks', theme: 'dark' },
	{ name: 'html-wakers', page: 'wakers', address: '#wakers&waker=0', theme: 'light' },
];

let large = 0;
for (const { name, page: file, address, theme, keys = [], of, at } of pictures.filter(({ name: all }) => all.includes(process.env.ONLY ?? ''))) {
	const { page, problems, close } = await openPage(browser, join(pages, `${file}.html`) + address, { colorScheme: theme, viewport: { width: 1240, height: 660 } });
	if (of)
		await page.evaluate((wanted) => {
			const { state } = tarePage;
			const func = state.profile.functionNames.indexOf(wanted);
			state.choose('of', String(func));
			state.set('selected', func);
		}, of);
	for (const key of keys)
		await page.keyboard.press(key);
	if (at)
		await page.mouse.move(...await at(page));
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	const path = join(out, `${name}.png`);
	await page.screenshot({ path });
	const { size } = statSync(path);
	large += size > LARGEST ? 1 : 0;
	console.log(`${path}: ${size} bytes${size > LARGEST ? `, more than ${LARGEST}` : ''}${problems.map((problem) => `\n  ${problem}`).join('')}`);
	await close();
}
await browser.close();
process.exit(large ? 1 : 0);
