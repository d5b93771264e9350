// Who ended waits, in the HTML report in a real browser. Usage: node wakers.mjs TARE MAKE_PROFILE
import { axeProblems, check, equal, openPage, run, settled } from './browser.mjs';
import { browser, cells, pageOf, profile, report, rows, runTests, tare, text, time, times } from './report_page.mjs';

const open = (address = '#wakers', options = {}) => openPage(browser, pageOf('sampled') + address, options);
const expected = () => report('wakers', profile('sampled')).tables.wakers.sort((a, b) => b.os_time_ns - a.os_time_ns);
/** Paths that have time of their own, names in lines, with their ns. */
const stacks = (page) => page.evaluate(() => {
	const { frames } = tarePage.page.views.find(({ name }) => name === 'wakers');
	return Object.fromEntries(Array.from({ length: frames.size }, (_, node) => [frames.path(node).join('\n'), Math.round(frames.value(node, 0, false))]).filter(([, ns]) => ns));
});
const chosen = (page) => page.evaluate(() => tarePage.state.choices.waker);
const stepsOf = async (page) => (await text(page.locator('.steps li'))).map((step) => step.replace(/^(Waits|until it is ended by|whose wait before was ended by)/, ''));

/** As the export has them: without the process, and what a name must not have in its lines as the page has it. */
function folded() {
	const sums = {};
	for (const line of run(tare, 'export', '--format=folded', '--wakers', '--event=off-cpu', profile('sampled')).trim().split('\n')) {
		const [, path, ns] = /^(.*) (\d+)$/.exec(line);
		const key = path.split(';').slice(1).map((name) => (name === '--' ? '[woken by]' : name.replace(',:', ',;'))).join('\n');
		sums[key] = (sums[key] ?? 0) + Number(ns);
	}
	return sums;
}

const tests = {
	async 'the rows are those of tare report, to the digit'() {
		const { page, problems, close } = await open();
		const wakers = expected();
		equal(wakers.length, 4, 'rows of the report');
		equal(await cells(page, 'os_time'), await times(page, 'os_time', wakers), 'times');
		equal(await cells(page, 'os_longest'), (await times(page, 'os_longest', wakers)).map((cell, i) => (wakers[i].os_longest_ns === null ? '–' : cell)), 'the longest wait');
		equal(await cells(page, 'os_percent'), wakers.map((row) => row.os_percent.toFixed(2)), 'shares');
		equal(await cells(page, 'count'), wakers.map((row) => String(row.count)), 'numbers of waits');
		for (const name of ['function', 'caller', 'woken_by', 'woken_by_thread', 'woken_before'])
			equal((await page.evaluate((column) => {
				const table = tarePage.state.profile.table('wakers');
				return Array.from({ length: table.rows }, (_, row) => table.value(table.columns.find((info) => info.name === column), row));
			}, name)), wakers.map((row) => row[name]?.replaceAll('\n', '\\n') ?? null), name);
		equal((await cells(page, 'woken_by')), wakers.map((row) => row.woken_by), 'who ended them');
		const sum = wakers.reduce((all, row) => all + row.os_time_ns, 0);
		equal(await text(page.locator('.wakers .lead b')), [time(sum), time(wakers[0].os_time_ns)], 'all, and the most that somebody ended');
		return { problems, close };
	},

	async 'columns sort'() {
		const { page, problems, close } = await open();
		await page.locator('[data-key=count]').click();
		equal(await cells(page, 'count'), expected().map((row) => row.count).sort((a, b) => b - a).map(String), 'descending');
		await page.locator('[data-key=count]').click();
		equal(await cells(page, 'count'), expected().map((row) => row.count).sort((a, b) => a - b).map(String), 'ascending');
		equal(await page.locator('[aria-sort]').getAttribute('aria-sort'), 'ascending', 'it is said');
		return { problems, close };
	},

	async 'the stacks are those of the folded export'() {
		const { page, problems, close } = await open('#wakers&kernel=1');
		equal(Object.entries(await stacks(page)).sort(), Object.entries(folded()).sort(), 'all of them');
		await page.getByRole('button', { name: 'Kernel' }).click();
		const short = await stacks(page);
		check(Object.keys(short).every((path) => !path.includes('do_syscall_64')), 'frames of the kernel');
		equal(Object.values(short).reduce((sum, ns) => sum + ns, 0), Object.values(folded()).reduce((sum, ns) => sum + ns, 0), 'their time is their callers\'');
		return { problems, close };
	},

	async 'a row has the stacks of both sides, and who ended the wait before'() {
		const { page, problems, close } = await open();
		await page.locator('.grid-row.data').first().click();
		equal(await stacks(page), { 'main\nparse\nread\n[woken by]\nLazyCompile:~add /app.js:3\nwork+0x1a00\n__clone3\nworker (4003)': 1200000000 }, 'its stacks');
		equal(await stepsOf(page), [`read${time(1200000000)} in 8 waits, the longest ${time(500000000)}worker (4001) 100.00 %`, 'LazyCompile:~add /app.js:3in worker (4003)', 'evil\\n<script>",;\\xffin worker (4002)'], 'its steps');
		check((await page.locator('.woken .note').textContent()).includes(`the chosen row: ${time(1200000000)}`), 'what they are of');
		await page.locator('.steps button').nth(1).click();
		equal(await page.evaluate(() => [tarePage.state.view, tarePage.state.profile.functionNames[tarePage.state.selected]]), ['functions', 'LazyCompile:~add /app.js:3'], 'who ended it');
		await page.goBack();
		equal(await chosen(page), '0', 'the row is still chosen');
		await page.getByRole('button', { name: 'All rows' }).click();
		equal(Object.values(await stacks(page)).reduce((sum, ns) => sum + ns, 0), expected().reduce((sum, row) => sum + row.os_time_ns, 0), 'all again');
		equal(await page.locator('.steps').isVisible(), false, 'no steps');
		await page.locator('.grid-row.data').first().click({ button: 'right' });
		await page.getByRole('menuitem', { name: 'Who ended it: LazyCompile' }).click();
		equal(await page.evaluate(() => tarePage.state.view), 'functions', 'by the menu');
		return { problems, close };
	},

	async 'the keyboard goes through rows and frames'() {
		const { page, problems, close } = await open();
		await page.locator('.wakers .grid-scroller').focus();
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		equal(await chosen(page), '1', 'the second row');
		check((await stepsOf(page)).at(-1).startsWith('[unseen]'), 'its steps');
		await page.locator('.flame canvas').focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'Enter'])
			await page.keyboard.press(key);
		equal(await page.evaluate(() => document.querySelector('.unseen[aria-live]').textContent), 'parse, waits, 100.00 %', 'what is said of a frame');
		await page.keyboard.press('m');
		check(await page.getByRole('menuitem', { name: 'Copy joined stack' }).isVisible(), 'a menu');
		await page.keyboard.press('Escape');
		await page.locator('.woken-steps button').first().focus();
		await page.keyboard.press('Enter');
		equal(await page.evaluate(() => tarePage.state.view), 'functions', 'the function that waits');
		return { problems, close };
	},

	async 'threads that wait are chosen, time cannot be; searching marks frames'() {
		const { page, problems, close } = await open();
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([1]) }));
		const of = expected().filter((row) => row.count === 900);
		equal(await cells(page, 'os_time'), await times(page, 'os_time', of), 'the waits of one thread');
		equal(await cells(page, 'os_percent'), ['100.00'], 'of all of them');
		equal(await cells(page, 'os_longest'), await times(page, 'os_longest', of), 'the longest of them');
		equal(Object.values(await stacks(page)), [of[0].os_time_ns], 'their stacks');
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([0, 1, 2]) }));
		const all = expected();
		equal(await cells(page, 'os_time'), await times(page, 'os_time', all), 'all threads one by one');
		equal(await cells(page, 'count'), all.map((row) => String(row.count)), 'all their waits');
		await page.evaluate(() => tarePage.state.filter({ threads: null, bins: { from: 10, to: 20 } }));
		equal(await cells(page, 'os_time'), await times(page, 'os_time', all), 'all of the time');
		check((await page.locator('.unfiltered').textContent()).includes('whole recording only'), 'why it is');
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('LazyCompile');
		equal((await cells(page, 'woken_by')), ['LazyCompile:~add /app.js:3'], 'the rows with it');
		equal(await page.evaluate(() => {
			const { frames, found } = tarePage.page.views.find(({ name }) => name === 'wakers');
			return Array.from({ length: frames.size }, (_, node) => frames.func(node)).filter((func) => func >= 0 && found[func]).length;
		}), 1, 'the frame with it');
		return { problems, close };
	},

	async 'my code leaves threads, and nothing of a root or of recursion'() {
		const { page, problems, close } = await open('#wakers&my=1&recursion=1&root=f0');
		equal(Object.values(await stacks(page)).reduce((sum, ns) => sum + ns, 0), expected().reduce((sum, row) => sum + row.os_time_ns, 0), 'all of the time');
		check((await page.locator('.woken .note').textContent()).includes('whichever root is set'), 'it is said');
		check(Object.keys(await stacks(page)).some((path) => path.endsWith('worker (4003)')), 'threads');
		return { problems, close };
	},

	async 'waits and who ends them have colours of their own'() {
		const { page, problems, close } = await open('#wakers&waker=0');
		await settled(page);
		const colours = await page.evaluate(() => {
			const canvas = document.querySelector('.flame canvas');
			const { data } = canvas.getContext('2d').getImageData(canvas.width - 20, 0, 1, 120);
			return [1, 4, 5].map((row) => [...data].slice(4 * (row * 20 + 10), 4 * (row * 20 + 10) + 3).join());
		});
		equal(new Set(colours).size, 3, `of frames: ${colours.join(' ')}`);
		const box = await page.locator('.flame canvas').boundingBox();
		await page.mouse.move(box.x + 60, box.y + 110);
		check((await page.locator('.flame .tip').textContent()).includes('ends the wait'), 'the tooltip');
		return { problems, close };
	},

	async 'profiles without wakers, and parts of the time, have no such view and no data for it'() {
		for (const [name, ...options] of [['work'], ['sampled', '--from=0']]) {
			const { page, problems, close } = await openPage(browser, pageOf(name, ...options));
			equal(await page.getByRole('tab', { name: 'Wakers', exact: true }).count(), 0, 'tabs');
			equal(await page.evaluate(() => tarePage.state.profile.data.header.columns.filter(([column]) => /^(woken|wakers)\./.test(column)).length), 0, 'columns');
			await close();
			if (problems.length)
				return { problems };
		}
		return { problems: [] };
	},

	async 'axe finds nothing, light and dark'() {
		const problems = [];
		for (const colorScheme of ['light', 'dark']) {
			for (const address of ['#wakers', '#wakers&waker=0']) {
				const { page, close, problems: others } = await open(address, { colorScheme });
				await settled(page);
				check(await rows(page).count() === 4, 'rows');
				problems.push(...others, ...await axeProblems(page, `${colorScheme} ${address}`));
				await close();
			}
		}
		return { problems };
	},
};

await runTests(tests);
