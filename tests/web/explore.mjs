// What the page does to find the place: roots, my code, recursion, noise, parts of the time, menus,
// addresses, copies. Usage: node explore.mjs TARE MAKE_PROFILE
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { axeProblems, check, equal, openPage, run, settled } from './browser.mjs';
import { browser, cells, pageOf, profile, report, rows, runTests, tare, text, times, view } from './report_page.mjs';

const row = (page, name) => rows(page).filter({ hasText: name }).first();
const item = (page, name) => page.getByRole('menuitem', { name });
/** What the page copies, instead of a clipboard that a browser without window may lack. */
const copies = (page) => page.evaluate(() => {
	globalThis.copied = [];
	navigator.clipboard.writeText = (what) => (copied.push(what), Promise.resolve());
});
const copied = async (page, many) => {
	await page.waitForFunction((n) => copied.length >= n, many);
	return page.evaluate(() => copied.at(-1));
};
/** Of a line of CSV. */
const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')));
const hash = (page) => page.evaluate(() => location.hash);

/** Sums and shape of a tree, with what must hold of it whatever was folded. */
const facts = (page, shape, kind = 'merged') => page.evaluate(([wanted, of]) => {
	const { state } = tarePage;
	state.reshape({ root: null, myCode: false, foldRecursion: false, ...wanted });
	const frames = state.frames(of);
	let exclusive = 0;
	let repeated = 0;
	let calls = 0;
	for (let node = 0; node < frames.size; node++) {
		exclusive += frames.value(node, 0, false);
		calls += frames.func(node) < 0 ? 0 : frames.calls(node);
		for (let above = frames.parent(node); above > 0 && frames.func(node) >= 0; above = frames.parent(above))
			repeated += frames.func(above) === frames.func(node) ? 1 : 0;
	}
	return { whole: frames.value(0, 0, true), exclusive, repeated, calls, size: frames.size, total: state.selection.totals[0] };
}, [shape, kind]);

const func = (page, name) => page.evaluate((wanted) => tarePage.state.profile.functionNames.indexOf(wanted), name);

/** A profile that was recorded of a real program; null where it cannot be unpacked. */
function recorded(name) {
	if (spawnSync('zstd', ['--version']).status !== 0) {
		console.log('skipped: zstd, which unpacks recorded profiles, is not installed');
		return null;
	}
	run('zstd', '-q', '-d', '-f', fileURLToPath(new URL(`../golden/recorded/${name}.tare.zst`, import.meta.url)), '-o', profile(name));
	return name;
}

/** The rows of a shaped tree, in no order. */
const shapedRows = (page, shape, kind) => page.evaluate(([wanted, of]) => {
	const { state } = tarePage;
	state.reshape({ root: null, myCode: false, foldRecursion: false, ...wanted });
	const frames = state.frames(of);
	const lines = [];
	for (let node = 1; node < frames.size; node++)
		lines.push([frames.depth(node) - 1, frames.func(node) < 0 ? null : frames.calls(node), frames.value(node, 0, true), frames.value(node, 0, false)].join());
	return lines.sort();
}, [shape, kind]);

const tests = {
	async 'shaped trees are those of tare report'() {
		const all = { problems: [] };
		for (const [name, root] of [['work', 'evaluate'], ['cut', 'main'], [recorded('index'), 'main']]) {
			if (!name)
				continue;
			const { page, problems, close } = await openPage(browser, pageOf(name));
			const path = await page.evaluate((wanted) => [tarePage.state.profile.functionNames.indexOf(wanted)], root);
			for (const [option, shape, kind] of [['--my-code', { myCode: true }, 'threads'], ['--fold-recursion', { foldRecursion: true }, 'threads'],
				[`--root=${root}`, { root: { path, anywhere: true } }, 'merged']]) {
				const expected = report('calltree', profile(name), '--unit=ticks', '--limit=0', option).tables.calltree;
				equal(await shapedRows(page, shape, kind),
					expected.map((line) => [line.level, line.function === null ? null : line.calls, line.elapsed_inclusive_ticks, line.elapsed_exclusive_ticks].join()).sort(), `${name} ${option}`);
			}
			all.problems.push(...problems);
			await close();
		}
		return all;
	},

	async 'recursion folds, and sums stay'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		const plain = await facts(page, {});
		const folded = await facts(page, { foldRecursion: true });
		equal([folded.whole, folded.exclusive, folded.calls], [plain.whole, plain.exclusive, plain.calls], 'sums');
		check(plain.repeated > 0, 'the profile has recursion');
		equal(folded.repeated, 0, 'functions below themselves');
		await page.keyboard.press('3');
		const button = page.locator('.view').getByRole('button', { name: 'Fold recursion' });
		equal(await button.getAttribute('aria-pressed'), 'true', 'the switch says it');
		await button.click();
		equal(await page.evaluate(() => tarePage.state.shape.foldRecursion), false, 'the switch ends it');
		return { problems, close };
	},

	async 'my code leaves nothing of the system'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		const plain = await facts(page, {});
		await page.getByRole('button', { name: 'My code' }).click();
		const shown = await page.evaluate(() => {
			const { state } = tarePage;
			const frames = state.frames('merged');
			const system = (node) => frames.func(node) < 0 || state.profile.moduleSystem[state.profile.functionModules[frames.func(node)]] === 1;
			let far = 0;
			for (let node = 1; node < frames.size; node++)
				far += frames.func(node) >= 0 && system(node) ? 1 : 0;
			let exclusive = 0;
			for (let node = 0; node < frames.size; node++)
				exclusive += frames.value(node, 0, false);
			return { far, exclusive, size: frames.size };
		});
		equal(shown.far, 0, 'frames of the system');
		equal(shown.exclusive, plain.exclusive, 'all time has a place');
		check(await page.locator('.chip', { hasText: 'my code' }).isVisible(), 'the page says that it is on');
		await page.keyboard.press('y');
		equal(await page.evaluate(() => tarePage.state.shape.myCode), false, 'y switches it');
		return { problems, close };
	},

	async 'a function becomes the root of trees and flame graphs'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		await row(page, 'evaluate').click();
		await page.keyboard.press('r');
		equal(await page.getByRole('tab', { selected: true }).textContent(), 'Call tree', 'the call tree shows it');
		const root = await facts(page, { root: { path: [await func(page, 'evaluate')], anywhere: true } });
		const whole = report('functions', profile('work'), '--unit=ticks').tables.functions.find((line) => line.function === 'evaluate');
		equal(root.whole, whole.elapsed_inclusive_ticks, 'its inclusive time, whoever called it');
		equal(root.exclusive, root.whole, 'all of which stands below it');
		await view(page, 'Flame graph');
		await page.getByLabel('What is below what').selectOption('callers');
		const callers = await page.evaluate(() => {
			const frames = tarePage.state.frames('callers');
			const top = frames.children(0, 0)[0];
			return [frames.children(0, 0).length, frames.value(top, 0, true), [...frames.children(top, 0)].reduce((sum, node) => sum + frames.value(node, 0, true), frames.value(top, 0, false))];
		});
		equal(callers, [1, whole.elapsed_inclusive_ticks, whole.elapsed_inclusive_ticks], 'its callers divide the same time');
		await page.locator('.chip', { hasText: 'root evaluate' }).click();
		equal(await page.evaluate(() => tarePage.state.shape.root), null, 'the chip ends it');
		return { problems, close };
	},

	async 'a call path becomes the root'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Call tree');
		await page.getByLabel('Which rows').selectOption('0');
		await row(page, 'session').click();
		await page.getByRole('button', { name: 'Expand', exact: true }).click();
		await rows(page).filter({ has: page.locator('.cell.name', { hasText: /main$/ }) }).first().click({ button: 'right' });
		await item(page, /^Set root: this call path/).click();
		const shown = await page.evaluate(() => {
			const { state } = tarePage;
			const all = state.profile.tree;
			const main = state.profile.functionNames.indexOf('main');
			let wanted = 0;
			for (let i = 0; i < all.count; i++)
				if (all.func[i] === main && all.parent[all.parent[i]] < 0)
					wanted += all.inclusive[0][i];
			return [state.frames('threads').value(0, 0, true), wanted];
		});
		equal(shown[0], shown[1], 'the time of that path in all threads');
		return { problems, close };
	},

	async 'callers and callees stand above and below a function'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		await row(page, 'evaluate').click();
		await page.locator('.pane').getByRole('button', { name: 'More…' }).click();
		await item(page, 'Callers and callees as flame graphs').click();
		check(await page.locator('.flame-above canvas').isVisible() && await page.locator('.flame canvas').isVisible(), 'two graphs');
		await page.locator('.flame-above canvas').focus();
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowUp');
		check(await page.locator('.pane h2').textContent() !== 'evaluate', 'the keyboard reaches its callers');
		return { problems, close };
	},

	async 'small rows stand together, and it is said how many'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Call tree');
		const count = async () => Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'));
		await page.getByLabel('Which rows').selectOption('0');
		await row(page, 'session').click();
		await page.getByRole('button', { name: 'Expand', exact: true }).click();
		const all = await count();
		equal(all - 1, (await page.evaluate(() => tarePage.state.frames('threads').size)), 'all rows');
		check(!/left out/.test(await page.locator('.view .note').textContent()), 'nothing is left out');
		await page.getByLabel('Which rows').selectOption('5');
		check(await count() < all, 'fewer rows');
		check(/below 5 % left out|in a row with/.test(await page.locator('.view .note').textContent()), 'the page says so');
		const chained = await rows(page).filter({ hasText: ' → ' }).count();
		const rest = rows(page).filter({ hasText: 'smaller row' });
		check(chained + await rest.count() > 0, 'rows that stand for several');
		if (await rest.count()) {
			const before = await count();
			await rest.first().click();
			await page.keyboard.press('ArrowRight');
			check(await count() > before, 'the keyboard opens them');
		}
		return { problems, close };
	},

	async 'a part of the time'() {
		if (!recorded('index'))
			return { problems: [] };
		const { page, problems, close } = await openPage(browser, pageOf('index', '--method=sample'));
		const sums = await page.evaluate(() => {
			const { profile } = tarePage.state;
			const last = profile.bins - 1;
			const same = (parts) => profile.tree.exclusive.every((values, q) => values.every((value, node) => value === parts.reduce((sum, part) => sum + part.exclusive[q][node], 0)));
			return [profile.hasTimes, same([profile.treeOf(0, last)]), same([profile.treeOf(0, 99), profile.treeOf(100, last)])];
		});
		equal(sums, [true, true, true], 'samples by time are all samples');
		const from = page.getByRole('slider', { name: 'Time from' });
		const all = await page.evaluate(() => tarePage.state.selection.totals[0]);
		await from.focus();
		for (let i = 0; i < 2; i++)
			await page.keyboard.press('PageUp');
		equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Time from', 'the slider keeps the keyboard');
		await page.keyboard.press('End');
		await page.locator('.chip', { hasText: 'time' }).waitFor();
		check(await page.evaluate(() => tarePage.state.selection.totals[0]) < all, 'fewer samples');
		await page.locator('.chip', { hasText: 'time' }).click();
		const box = await page.locator('.area-plot').boundingBox();
		await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
		await page.mouse.up();
		const bins = await page.evaluate(() => tarePage.state.bins);
		check(bins.from > 40 && bins.to < 200, `dragged: ${JSON.stringify(bins)}`);
		await view(page, 'Functions');
		const shown = (await cells(page, 'exclusive_samples')).reduce((sum, value) => sum + Number(value), 0);
		check(shown > 0 && shown <= all, 'functions of that time');
		const unfiltered = page.locator('.unfiltered');
		equal(await unfiltered.textContent(), '', 'samples follow');
		await view(page, 'Recording');
		check((await unfiltered.textContent()).endsWith('known of the whole recording only.'), 'what does not follow says so');
		return { problems, close };
	},

	async 'tables follow the filter of threads'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([1]) }));
		const asked = (name) => report(name, profile('work'), '--thread=4002', '--limit=0').tables[name];
		for (const [title, name, one] of [['Modules', 'modules', 'module'], ['Threads', 'threads', 'thread'], ['Processes', 'processes', 'process']]) {
			await view(page, title);
			const expected = asked(name).filter((line) => line[one] !== null && line.function == null);
			for (const measure of ['elapsed_inclusive', 'application_exclusive'])
				equal((await cells(page, measure)).sort(), (await times(page, measure, expected)).sort(), `${title}: ${measure}`);
		}
		await view(page, 'OS time');
		const sums = await page.evaluate(() => {
			const { state, page: { current: { shown, table } } } = tarePage;
			const column = (name) => table.columns.find((candidate) => candidate.name === name);
			const all = {};
			for (const line of shown.rows)
				all[shown.value(column('cause'), line)] = (all[shown.value(column('cause'), line)] ?? 0) + shown.value(column('os_time'), line);
			return [all, state.selection.osTotals.map((ticks) => state.profile.ns(ticks))];
		});
		const causes = {};
		for (const line of asked('os'))
			causes[line.cause] = (causes[line.cause] ?? 0) + line.os_time_ns;
		equal(Object.entries(sums[0]).sort(), Object.entries(causes).sort(), 'OS time by cause');
		return { problems, close };
	},

	async 'the address holds what is shown, back and forward go through it'() {
		const file = pageOf('work');
		const { page, problems, close } = await openPage(browser, file);
		await view(page, 'Functions');
		await row(page, 'evaluate').click();
		await page.getByRole('radio', { name: 'Application' }).check({ force: true });
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('e');
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([0]) }));
		await view(page, 'Flame graph');
		await page.locator('.flame canvas').focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'Enter'])
			await page.keyboard.press(key);
		const crumbs = await text(page.locator('.crumb'));
		const address = await hash(page);
		const other = await openPage(browser, file + address);
		equal(await other.page.getByRole('tab', { selected: true }).textContent(), 'Flame graph', 'view');
		equal(await text(other.page.locator('.crumb')), crumbs, 'what is zoomed to');
		equal(await other.page.evaluate(() => [tarePage.state.measure.key, tarePage.state.query, [...tarePage.state.threads]]), ['application_inclusive', 'e', [0]], 'value, search, filter');
		equal(await hash(other.page), address, 'the address stays');
		await other.close();
		await page.goBack();
		await page.waitForFunction((wanted) => document.querySelectorAll('.crumb').length < wanted, crumbs.length);
		await page.goBack();
		await page.waitForFunction(() => tarePage.state.view === 'functions');
		await page.goForward();
		await page.waitForFunction(() => tarePage.state.view === 'flame');
		for (const odd of ['#nonsense&f=99999&root=p1.x&threads=9-1&zoom=t9.zz&tree=x&v=?', '#flame&flame=x&of=-3', '#calltree&rows=x&root=f999999', '#flame&flame=sandwich&of=99999']) {
			await page.goto(`file://${file}${odd}`);
			await page.waitForFunction(() => performance.getEntriesByName('tare-ready').length > 0);
			check(await page.locator('#view').isVisible(), `an address that is wrong: ${odd}`);
		}
		return { problems: [...problems, ...other.problems], close };
	},

	async 'a name that a spreadsheet would compute is copied as text'() {
		const { page, problems, close } = await openPage(browser, pageOf('hostile'));
		await copies(page);
		await view(page, 'Functions');
		await page.getByRole('button', { name: 'Copy CSV' }).click();
		const cells = (await copied(page, 1)).trimEnd().split('\r\n').slice(1).flatMap(fields);
		check(cells.includes("'=1+1"), 'the function =1+1 is there, with an apostrophe');
		equal(cells.filter((cell) => /^\s*[=+\-@]/.test(cell) && !/^-?[0-9.]+$/.test(cell)), [], 'cells that begin a formula');
		return { problems, close };
	},

	async 'copies names, call paths and tables'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await copies(page);
		await view(page, 'Functions');
		await row(page, 'evaluate').click();
		await page.keyboard.press('c');
		equal(await copied(page, 1), 'evaluate', 'a name');
		await page.getByRole('button', { name: 'Copy CSV' }).click();
		const [head, ...lines] = (await copied(page, 2)).trimEnd().split('\r\n').map(fields);
		const at = (name) => head.indexOf(name);
		check(at('function') >= 0 && at('elapsed_inclusive_ns') >= 0, `columns as tare report has them: ${head}`);
		const expected = report('functions', profile('work')).tables.functions;
		equal(lines.map((line) => [line[at('function')].replace(/ @[0-9a-f]+$/, ''), Number(line[at('elapsed_inclusive_ns')])]).sort(),
			expected.map((line) => [line.function, line.elapsed_inclusive_ns]).sort(), 'values as tare report has them');
		await view(page, 'Call tree');
		await page.keyboard.press('h');
		await page.keyboard.press('m');
		await page.keyboard.press('End');
		await page.keyboard.press('Enter');
		await page.keyboard.press('C');
		check((await copied(page, 3)).includes(' › '), 'a call path');
		return { problems, close };
	},

	async 'menus, noise and filters are there for the keyboard alone'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await page.keyboard.press('3');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Shift+F10');
		check(await page.getByRole('menu').isVisible(), 'the menu');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Escape');
		equal(await page.getByRole('menu').count(), 0, 'Escape closes it');
		equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'treegrid', 'the focus is back');
		await page.keyboard.press('m');
		await page.keyboard.press('Enter');
		equal(await page.evaluate(() => !!(tarePage.state.threads || tarePage.state.shape.root)), true, 'its first action');
		await page.keyboard.press('4');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('m');
		check(await page.getByRole('menu').isVisible(), 'the menu of a frame');
		equal(await axeProblems(page, 'menu'), [], 'axe, of the menu');
		return { problems, close };
	},

	async 'processes stand below those that made them'() {
		if (!recorded('archive'))
			return { problems: [] };
		const { page, problems, close } = await openPage(browser, `${pageOf('archive')}#processes`);
		const shown = () => rows(page).evaluateAll((all) => all.sort((a, b) => a.dataset.index - b.dataset.index)
			.map((line) => [Number(line.getAttribute('aria-level')), /\((\d+)\)/.exec(line.textContent)[1], line.getAttribute('aria-expanded')]));
		const { processes } = report('processes', profile('archive')).tables;
		const parents = new Map(processes.map((line) => [/\((\d+)\)/.exec(line.process)[1], String(line.parent_pid)]));
		const path = [];
		const seen = await shown();
		check(seen.length === processes.length && seen.some(([level]) => level > 1), `levels: ${JSON.stringify(seen)}`);
		for (const [level, pid] of seen) {
			path.length = level - 1;
			if (path.length)
				equal(parents.get(pid), path.at(-1), `the parent of ${pid}`);
			else
				check(!parents.has(parents.get(pid)), `${pid} has a parent here`);
			path.push(pid);
		}
		await rows(page).first().click();
		await page.keyboard.press('ArrowLeft');
		equal((await shown()).length, seen.filter(([level]) => level === 1).length, 'folded');
		await page.keyboard.press('ArrowRight');
		await page.locator('[data-key=begin]').click();
		await page.locator('[data-key=begin]').click();
		equal((await shown()).map(([level]) => level).sort(), seen.map(([level]) => level).sort(), 'sorted as a tree');
		return { problems, close };
	},

	async 'names in the pane are as long as they were when a part of the time was chosen'() {
		const { page, problems, close } = await openPage(browser, pageOf('sampled'));
		const names = () => page.locator('.pane .bar-label').evaluateAll((all) => all.map((name) => name.textContent.length));
		await view(page, 'Functions');
		const before = await names();
		await view(page, 'Summary');
		const box = await page.locator('.area-plot').boundingBox();
		await page.mouse.move(box.x + box.width * 0.02, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
		await page.mouse.move(box.x + box.width * 0.98, box.y + 30);
		await page.mouse.up();
		const hidden = await names();
		check(hidden.every((length, i) => length === before[i]), `while the pane is hidden: ${hidden} instead of ${before}`);
		await view(page, 'Functions');
		const after = await names();
		check(after.every((length, i) => Math.abs(length - before[i]) <= 3), `then: ${after} instead of ${before}`);
		await page.setViewportSize({ width: 1100, height: 800 });
		await settled(page, 3);
		check((await names()).some((length, i) => length > after[i]), 'where the pane is wider, so are names');
		await page.setViewportSize({ width: 1440, height: 900 });
		await settled(page, 3);
		equal(await names(), after, 'after the window was narrow');
		return { problems, close };
	},

	async 'the call tree has columns to choose'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Call tree');
		const heads = () => page.locator('.grid-head [role=columnheader]').count();
		const before = await heads();
		await page.locator('.view summary', { hasText: 'Columns' }).click();
		await page.locator('[data-column=elapsed_average]').check();
		equal(await heads(), before + 1, 'one more');
		await page.locator('[data-column=module]').uncheck();
		equal(await heads(), before, 'one less');
		return { problems, close };
	},

	async 'names have the room that there is'() {
		const { page, problems, close } = await openPage(browser, pageOf('hostile'));
		/* How much of its place a name takes that is shortened. */
		const shares = (selector) => page.locator(selector).evaluateAll((elements) => elements.filter((element) => element.textContent.includes('…')).map((element) => {
			const range = document.createRange();
			range.selectNodeContents(element);
			const style = getComputedStyle(element);
			return range.getBoundingClientRect().width / (element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
		}));
		await view(page, 'Functions');
		const names = await shares('.grid-row.data .cell.name');
		check(names.length > 0 && names.every((share) => share > 0.85), `names in the table take ${names.map((share) => share.toFixed(2))} of their places`);
		/* A function is selected where there is no pane; the pane comes later. */
		await view(page, 'Recording');
		await page.evaluate(() => {
			const { state } = tarePage;
			const { functionNames: names } = state.profile;
			const length = (func) => Math.max(0, ...Object.values(state.selection.edges(func)).flat().map((edge) => names[edge.func]?.length ?? 0));
			const lengths = names.map((_, func) => length(func));
			state.set('selected', -1);
			state.set('selected', lengths.indexOf(Math.max(...lengths)));
		});
		await view(page, 'Functions');
		const labels = await shares('.pane .bar-label');
		check(labels.length > 0 && labels.every((share) => share > 0.6), `names in the pane take ${labels.map((share) => share.toFixed(2))} of their places`);
		return { problems, close };
	},

	async 'coverage is that of what was selected'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		const { header } = report('summary', profile('work'));
		const done = header.functions_instrumented + header.functions_part;
		check(header.functions_not_selected > 0, 'all functions were selected');
		const figure = page.locator('.figure', { hasText: 'Coverage' });
		check((await figure.textContent()).includes(`${done} of ${done + header.functions_refused} selected functions have probes`), `coverage reads ${await figure.textContent()}`);
		return { problems, close };
	},

	async 'coverage of functions'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Recording');
		const expected = report('coverage', profile('work'), '--verbose').tables.coverage;
		equal(await page.evaluate(() => tarePage.state.profile.table('coverage_functions').rows), expected.length, 'rows');
		check(await page.getByRole('heading', { name: 'Coverage by function' }).isVisible(), 'the table');
		return { problems, close };
	},

	async 'two files are compared'() {
		const file = pageOf('cut', `--compare=${profile('work')}`);
		const other = file.replace('.html', '-two.html');
		run(tare, 'view', profile('work'), profile('cut'), '-o', other);
		equal(readFileSync(other, 'utf8'), readFileSync(file, 'utf8'), 'the same page as with --compare');
		return { problems: [] };
	},
};

await runTests(tests);
