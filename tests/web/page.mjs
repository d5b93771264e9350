// The HTML report in a real browser, opened from file://. Usage: node page.mjs TARE MAKE_PROFILE
import { copyFileSync } from 'node:fs';
import { axeProblems, check, equal, openPage, run, settled } from './browser.mjs';
import { browser, cells, pageOf, profile, report, rows, runTests, tare, text, time, times, view } from './report_page.mjs';

const tests = {
	async 'opens and shows the summary'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		check(await page.getByRole('heading', { name: 'Hot path' }).isVisible(), 'no hot path');
		const { header } = report('summary', profile('work'));
		const figures = await text(page.locator('.figure b'));
		equal(figures[0], time(header.elapsed_ns), 'elapsed time');
		equal(figures[1], time(header.cpu_ns), 'CPU time');
		equal(figures[2], time(header.application_ns), 'application time');
		await view(page, 'Recording');
		const said = (await text(page.locator('.facts dd'))).join('\n');
		const lines = run(tare, 'report', 'functions', '-v', profile('work'), '--no-pager').split('\n\n')[0].split('\n');
		const facts = lines.join('\n').replace(/\n {12}/g, ' ').split('\n').flatMap((line) => line.slice(12).split('; '));
		for (const part of facts)
			check(said.includes(part.slice(0, 40)), `the header lacks: ${part}`);
		return { problems, close };
	},

	async 'functions have the numbers of tare report'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		const expected = report('functions', profile('work')).tables.functions;
		await page.locator('[data-key=elapsed_inclusive]').click();
		expected.sort((a, b) => b.elapsed_inclusive_ns - a.elapsed_inclusive_ns);
		for (const measure of ['elapsed_inclusive', 'elapsed_exclusive', 'cpu_inclusive', 'cpu_exclusive', 'application_inclusive', 'application_exclusive']) {
			equal((await cells(page, measure)).sort(), (await times(page, measure, expected)).sort(), measure);
		}
		equal((await cells(page, 'elapsed_inclusive')), await times(page, 'elapsed_inclusive', expected), 'sorted');
		/* What follows from the call tree is the same. */
		const differences = await page.evaluate(() => {
			const { profile, selection } = tarePage.state;
			const table = profile.table('functions');
			const wrong = [];
			for (const measure of profile.measures) {
				const column = table.columns.find((candidate) => candidate.name === measure.key);
				for (let row = 0; row < table.rows; row++) {
					const own = profile.plain(selection.of(table.subject.function[row], measure.quantity, measure.inclusive), measure.quantity);
					if (own !== table.value(column, row))
						wrong.push([measure.key, row, own, table.value(column, row)]);
				}
			}
			return wrong;
		});
		equal(differences, [], 'values from the call tree');
		return { problems, close };
	},

	async 'ranks have the numbers of tare report, and lead to their functions'() {
		const { page, problems, close } = await openPage(browser, pageOf('ranks'));
		await view(page, 'Ranks');
		const { ranks, calls } = report('ranks', profile('ranks')).tables;
		const spread = report('imbalance', profile('ranks')).tables;
		const tables = await page.locator('.ranks .table-card h2').allTextContents();
		equal(tables.length, 4, 'tables');
		const card = (n) => page.locator('.ranks .table-card').nth(n);
		const column = async (n, key) => {
			const heads = await card(n).locator('.grid-head [role=columnheader]').evaluateAll((all) => all.map((head) => head.querySelector('[data-key]')?.dataset.key));
			check(heads.includes(key), `no column ${key} among ${heads}`);
			return card(n).locator('.grid-row.data').evaluateAll((all, at) => all.sort((a, b) => a.dataset.index - b.dataset.index)
				.map((row) => row.children[at].textContent), heads.indexOf(key));
		};
		equal(await column(0, 'rank'), ranks.map(({ rank }) => String(rank)), 'ranks');
		equal(await column(0, 'work_percent'), ranks.map((row) => row.work_percent.toFixed(2)), 'their work');
		equal((await column(1, 'cpu_most_rank')).sort(), spread.functions.map((row) => String(row.cpu_most_rank)).sort(), 'of functions, the rank with most');
		equal((await column(2, 'mpi_call')).sort(), spread.mpi.map((row) => row.mpi_call).sort(), 'calls of MPI');
		equal((await column(3, 'calls')).map(Number).sort((a, b) => a - b), calls.map((row) => row.calls).sort((a, b) => a - b), 'calls by rank');
		const most = ranks.reduce((best, row) => (row.work_ns > best.work_ns ? row : best));
		const average = ranks.reduce((sum, row) => sum + row.work_ns, 0) / ranks.length;
		equal(await text(page.locator('.ranks .lead')), [`Rank ${most.rank} works most: ${time(most.work_ns)}, ${(100 * (most.work_ns / average - 1)).toFixed(2)} % more than the average of ${ranks.length} ranks`], 'who is waited for');
		equal(await axeProblems(page), [], 'accessibility');
		const bars = page.locator('.ranks .bar-row');
		equal((await text(bars.locator('.bar-text'))), ranks.map((row) => time(row.work_ns)), 'bars');
		await bars.nth(3).click();
		check((await cells(page, 'function')).includes('kernel'), 'no functions of the rank');
		equal(await page.evaluate(() => [...tarePage.state.threads].length), 1, 'threads of the rank');
		return { problems, close };
	},

	async 'methods have the differences of tare report, with their signs'() {
		const { page, problems, close } = await openPage(browser, pageOf('both'));
		await view(page, 'Methods');
		const expected = report('methods', profile('both')).tables.methods.map((row) => row.difference_percent.toFixed(2));
		check(expected.some((value) => value.startsWith('-')), 'none is below 0');
		equal((await cells(page, 'difference_percent')).sort(), expected.sort(), 'differences');
		return { problems, close };
	},

	async 'has no ranks where there are none'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		equal(await page.getByRole('tab', { name: 'Ranks', exact: true }).count(), 0, 'tabs');
		return { problems, close };
	},

	async 'sorts, searches, chooses columns'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		await page.locator('[data-key=calls]').click();
		const down = (await cells(page, 'calls')).map((count) => Number(count.replaceAll(',', '')));
		equal(down, [...down].sort((a, b) => b - a), 'calls descending');
		await page.locator('[data-key=calls]').click();
		equal(await page.locator('[aria-sort]').getAttribute('aria-sort'), 'ascending', 'the other way');
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('EVAL');
		equal(await cells(page, 'function'), ['evaluate'], 'search in any case');
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('/^(main|parse)$/');
		equal((await cells(page, 'function')).sort(), ['main', 'parse'], 'search by a regular expression');
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('no such');
		check(await page.getByText('No function matches').isVisible(), 'no empty state');
		await page.getByRole('searchbox', { name: 'Search functions' }).fill('');
		await page.locator('summary', { hasText: 'Columns' }).click();
		await page.locator('[data-column=os_syscall]').check();
		check((await cells(page, 'os_syscall')).some((value) => value !== '0.000'), 'a chosen column');
		return { problems, close };
	},

	async 'switches among the values'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		const { functions } = report('functions', profile('work')).tables;
		for (const [quantity, title] of [['elapsed', 'Elapsed'], ['cpu', 'CPU'], ['application', 'Application']])
			for (const [kind, label] of [['inclusive', 'Inclusive'], ['exclusive', 'Exclusive']]) {
				await page.getByRole('radio', { name: title }).check({ force: true });
				await page.getByRole('radio', { name: label }).check({ force: true });
				const shown = (await cells(page, 'value')).map(Number);
				const expected = functions.map((row) => row[`${quantity}_${kind}_percent`]).sort((a, b) => b - a);
				equal(shown.map((value) => value.toFixed(2)), expected.map((value) => value.toFixed(2)), `${quantity} ${kind}`);
			}
		return { problems, close };
	},

	async 'callers and callees are those of tare report'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		await rows(page).filter({ hasText: 'evaluate' }).first().click();
		for (const [label, type] of [['Callers', 'caller'], ['Callees', 'callee']]) {
			const expected = report('callers', 'evaluate', profile('work')).tables.callers.filter((row) => row.type === type);
			const shown = await text(page.locator(`.pane ol[aria-label=${label}] .bar-text`));
			equal(shown.map((line) => line.split(' ·')[0].replace(' µs', '').replace(' ms', '')).length, expected.length, label);
			const values = await page.evaluate((wanted) => {
				const { state } = tarePage;
				return state.selection.edges(state.selected)[wanted].map((edge) => state.plain(edge.inclusive[0], 0)).sort((a, b) => b - a);
			}, label.toLowerCase());
			equal(values, expected.map((row) => row.elapsed_inclusive_ns).sort((a, b) => b - a), `${label}' times`);
			const named = (row) => (row.function.startsWith('[') ? 'Called by no instrumented function' : row.function);
			for (const [kind, title] of [['exclusive', 'Exclusive'], ['inclusive', 'Inclusive']]) {
				await page.getByRole('radio', { name: title }).check({ force: true });
				const ordered = [...expected].sort((a, b) => b[`cpu_${kind}_ns`] - a[`cpu_${kind}_ns`] || b.calls - a.calls);
				equal(await page.locator(`.pane ol[aria-label=${label}] .bar-row`).evaluateAll((all) => all.map((row) => row.title)),
					ordered.map(named), `${label}, the most ${kind} time first`);
			}
		}
		const before = await page.locator('.pane h2').textContent();
		await page.locator('.pane ol[aria-label=Callees] button').last().click();
		check(await page.locator('.pane h2').textContent() !== before, 'a callee opens');
		await page.keyboard.press('Alt+ArrowLeft');
		await page.locator('.pane h2', { hasText: before }).waitFor();
		return { problems, close };
	},

	async 'the call tree has the rows of tare report and its hot path'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await page.keyboard.press('h');
		const hot = (await text(page.locator('.grid-row.hot .cell.name'))).map((name) => name.replace(/^[▾▸]/, ''));
		const expected = report('summary', profile('work')).tables.hot_path;
		equal(hot.length - 1, expected.length, 'length of the hot path');
		check(expected.at(-1).function === null || hot.at(-1).includes(expected.at(-1).function.slice(0, 8)), 'end of the hot path');
		const values = await page.evaluate(() => {
			const frames = tarePage.state.frames('threads');
			const found = [];
			for (let node = 1; node < frames.size; node++)
				found.push(tarePage.state.plain(frames.value(node, 0, true), 0));
			return found.sort((a, b) => a - b);
		});
		equal(values, report('calltree', profile('work')).tables.calltree.map((row) => row.elapsed_inclusive_ns).sort((a, b) => a - b), 'values of call paths');
		return { problems, close };
	},

	async 'folded and disarmed paths count as in tare report'() {
		const { page, problems, close } = await openPage(browser, pageOf('cut'));
		const shown = await page.evaluate(() => {
			const { selection, profile } = tarePage.state;
			return profile.functionNames.map((name, func) => [name, selection.of(func, 0, true), selection.of(func, 1, true), selection.of(func, 2, true)]).filter(([, value]) => value);
		});
		const expected = report('functions', profile('cut'), '--unit=ticks').tables.functions
			.map((row) => [row.function, row.elapsed_inclusive_ticks, row.cpu_inclusive_ticks, row.application_inclusive_ticks]);
		equal(shown.sort(), expected.sort(), 'inclusive values');
		const warnings = (await text(page.locator('.warnings li'))).join('\n');
		for (const word of ['killed by signal 9', '1,234,567 events dropped', '--max-nodes', 'Disarmed'])
			check(warnings.includes(word), `no warning of ${word}`);
		await view(page, 'Functions');
		check((await cells(page, 'calls')).some((count) => count.startsWith('≥')), 'no mark of disarmed functions');
		return { problems, close };
	},

	async 'counted functions have all their calls, and sampled times their intervals'() {
		/* Of a real recording: which functions are counted is decided there. */
		run(tare, 'record', '-q', '-o', profile('counted'), '--', 'awk', 'BEGIN { for (i = 0; i < 600000; i++) x += length(i "") }');
		const { page, problems, close } = await openPage(browser, pageOf('counted'));
		await view(page, 'Functions');
		const { functions } = report('functions', profile('counted')).tables;
		await page.locator('[data-key=calls]').click();
		const exact = functions.map((row) => row.calls).sort((a, b) => b - a);
		const shown = (await cells(page, 'calls')).map((cell) => Number(cell.replaceAll(/[,≈]/g, '')));
		equal(shown, exact.slice(0, shown.length), 'calls');
		check(exact[0] >= 600000, 'awk has few calls');
		const key = await page.evaluate(() => tarePage.state.measure.key);
		await page.locator('[data-key=value]').click();
		const margins = (await cells(page, 'value')).filter((cell) => cell.includes(' ± '));
		const known = functions.filter((row) => typeof row[`${key}_low_ns`] === 'number');
		check(known.length > 0, `no intervals of ${key}`);
		equal(margins.length > 0, true, 'intervals are shown');
		check((await page.locator('.signs').textContent()).includes('±'), '± is not explained');
		check((await page.locator('.pane-values').textContent()).includes(' ± '), 'no interval of the selected function');
		return { problems, close };
	},

	async 'work and waits stand in one flame graph, as in the folded export'() {
		const lines = run(tare, 'export', '--format=folded', '--waits', profile('sampled')).trim().split('\n').map((line) => {
			const [, path, value] = /^(.*) (\d+)$/.exec(line);
			return [path.split(';').slice(1), Number(value)];
		});
		const sum = (wanted) => lines.reduce((all, [path, value]) => all + (wanted(path) ? value : 0), 0);
		const idle = sum((path) => path[0] === '[idle]');
		const waited = sum((path) => path.at(-1) === '[waits]');
		const all = sum(() => true);
		for (const colorScheme of ['light', 'dark']) {
			const { page, problems, close } = await openPage(browser, pageOf('sampled'), { colorScheme });
			await view(page, 'Flame graph');
			await page.getByLabel('What is below what').selectOption('waits');
			const seen = await page.evaluate(() => {
				const frames = tarePage.state.waitFrames();
				const paths = {};
				for (let i = 1; i < frames.size; i++) {
					const names = [];
					for (let at = i; at > 0; at = frames.parent(at))
						names.unshift(frames.label(at));
					paths[names.join('\n')] = frames.value(i, 0, false);
				}
				return { paths, all: frames.value(0, 0, true), sums: ['work', 'waits', 'idle'].map((kind) => frames.nsOf(0, kind)) };
			});
			equal([seen.all, ...seen.sums], [all, all - waited - idle, waited, idle], 'all, work, waits, idle');
			const plain = lines.filter(([path]) => path.length > 1 && path.every((name) => /^[\w[\]]+$/.test(name)));
			check(plain.length > 3 && plain.some(([path]) => path.at(-1) === '[waits]'), 'paths to compare');
			for (const [path] of plain)
				equal(seen.paths[path.join('\n')], sum((other) => other.join() === path.join()), path.join(' › '));
			const note = await page.locator('.view .note').textContent();
			check(note.includes(`CPU time ${time(all - waited - idle)} · Waited ${time(waited)}`), `what it is: ${note}`);
			const canvas = page.locator('.flame canvas');
			const box = await canvas.boundingBox();
			await settled(page); /* before that nothing lies below the pointer */
			await page.mouse.move(box.x + 60, box.y + 30);
			check((await page.locator('.flame .tip').textContent()).includes('Waited'), 'the tooltip has both');
			const colours = await page.evaluate(() => {
				const element = document.querySelector('.flame canvas');
				const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
				const found = new Set();
				for (let at = 0; at < data.length; at += 4)
					found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
				return [...found].filter((colour) => /^(242,17\d,17\d|13\d,5\d,5\d)$/.test(colour)).length;
			});
			check(colours > 0, 'waits have a colour of their own');
			const found = await axeProblems(page, `${colorScheme} work and waits`);
			await page.locator('.flame canvas').focus();
			for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'Escape'])
				await page.keyboard.press(key);
			await page.getByRole('radio', { name: 'Exclusive' }).check({ force: true });
			equal(await page.getByLabel('What is below what').inputValue(), 'waits', 'it stays what it is');
			if (found.length || problems.length || colorScheme === 'dark')
				return { problems: [...problems, ...found], close };
			await close();
		}
	},

	async 'the flame graph zooms, searches, turns around'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Flame graph');
		const canvas = page.locator('.flame canvas');
		const crumbs = () => text(page.locator('.crumb'));
		equal(await crumbs(), ['session'], 'not zoomed');
		await canvas.focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'Enter'])
			await page.keyboard.press(key);
		check((await crumbs()).length === 3, 'Enter zooms');
		await page.keyboard.press('Escape');
		equal(await crumbs(), ['session'], 'Escape shows all');
		const box = await canvas.boundingBox();
		await page.mouse.dblclick(box.x + 20, box.y + 30);
		equal((await crumbs()).length, 2, 'a double click zooms');
		await page.mouse.move(box.x + 60, box.y + 30);
		check((await page.locator('.flame .tip').textContent()).includes('CPU inclusive'), 'a tooltip');
		await page.keyboard.press('Escape');
		await page.getByRole('searchbox').fill('evaluate');
		const note = await page.locator('.view .note').textContent();
		const whole = report('functions', profile('work')).tables.functions.find((row) => row.function === 'evaluate');
		check(note.includes(`${whole.cpu_inclusive_percent.toFixed(2)} %`), `matched share: ${note}`);
		await page.getByRole('radio', { name: 'Exclusive' }).check({ force: true });
		equal(await page.getByLabel('What is below what').inputValue(), 'callers', 'exclusive turns the graph around');
		const sums = await page.evaluate(() => {
			const frames = tarePage.state.frames('callers');
			return [...frames.children(0, 0)].map((node) => [frames.label(node), frames.value(node, 0, true)]);
		});
		const exclusive = report('functions', profile('work'), '--unit=ticks').tables.functions;
		for (const [label, value] of sums)
			check(exclusive.some((row) => label.startsWith(row.function) && row.elapsed_exclusive_ticks === value), `exclusive value of ${label}`);
		return { problems, close };
	},

	async 'filters threads and modules'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		const thread = report('threads', profile('work')).tables.threads.find((row) => row.tid === 4002);
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([1]) }));
		equal((await text(page.locator('.figure b')))[0], time(thread.elapsed_inclusive_ns + thread.outside_ns), 'total of one thread');
		const expected = report('functions', profile('work'), '--thread=4002').tables.functions;
		await view(page, 'Functions');
		equal((await cells(page, 'elapsed_inclusive')).sort(), (await times(page, 'elapsed_inclusive', expected)).sort(), 'functions of one thread');
		await page.locator('.chip').click();
		await page.keyboard.press('f');
		await page.locator('dialog section').nth(1).getByRole('button', { name: 'None' }).click();
		await page.locator('dialog section').nth(1).getByText('libstripped', { exact: false }).first().click();
		await page.getByRole('button', { name: 'Apply' }).click();
		await page.locator('dialog').waitFor({ state: 'detached' });
		equal((await cells(page, 'module')), ['libstripped.so.1'], 'functions of one module');
		return { problems, close };
	},

	async 'compares two profiles'() {
		const { page, problems, close } = await openPage(browser, pageOf('work', `--compare=${profile('hostile')}`));
		check(await page.getByRole('heading', { name: 'What has changed' }).isVisible(), 'what has changed');
		await view(page, 'Functions');
		check((await page.locator('.grid-row.vanished').count()) > 5, 'vanished functions');
		check((await page.locator('.grid-row.fresh').count()) > 5, 'new functions');
		await view(page, 'Flame graph');
		await page.getByLabel('Widths').selectOption('base');
		await page.getByLabel('Colours').selectOption('heat');
		await close();
		const same = await openPage(browser, pageOf('cut', `--compare=${profile('cut')}`));
		await view(same.page, 'Functions');
		equal([...new Set(await cells(same.page, 'delta'))], ['0.000'], 'the same profile differs in nothing');
		return { problems: [...problems, ...same.problems], close: same.close };
	},

	async 'works with the keyboard alone'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await page.keyboard.press('2');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowUp');
		const selected = await page.locator('.grid-row[aria-selected=true] .cell.name').first().textContent();
		equal((await page.locator('.pane h2').textContent()).replaceAll('\u200b', ''), selected, 'the row selects a function');
		await page.keyboard.press('/');
		await page.keyboard.type('main');
		await page.keyboard.press('Enter');
		check(await page.evaluate(() => document.activeElement.getAttribute('role') === 'grid'), 'Enter leaves the search');
		const search = () => page.evaluate(() => [document.activeElement.id, tarePage.state.query]);
		await page.keyboard.press('/');
		await page.keyboard.press('Escape');
		equal(await search(), ['search', ''], 'Escape clears the search');
		await page.keyboard.press('Escape');
		check((await search())[0] !== 'search', 'a second Escape leaves it');
		await page.keyboard.press('3');
		await page.keyboard.press('Home');
		const count = await rows(page).count();
		await page.keyboard.press('ArrowLeft');
		check(await rows(page).count() < count, 'ArrowLeft closes');
		await page.keyboard.press('ArrowRight');
		equal(await rows(page).count(), count, 'ArrowRight opens');
		await page.keyboard.press('e');
		await page.keyboard.press('i');
		equal(await page.evaluate(() => tarePage.state.measure.key), 'application_exclusive', 'e and i switch the value');
		await page.keyboard.press('?');
		check(await page.getByRole('dialog').isVisible(), '? shows the keys');
		await page.keyboard.press('Escape');
		/* Tab reaches everything and never gets stuck. */
		const seen = new Set();
		for (let i = 0; i < 40; i++) {
			await page.keyboard.press('Tab');
			seen.add(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120)));
		}
		check(seen.size > 12, `Tab reaches ${seen.size} places`);
		return { problems, close };
	},

	async 'hostile names are harmless'() {
		const { page, problems, close } = await openPage(browser, pageOf('hostile'));
		for (const title of await text(page.getByRole('tab')))
			await view(page, title);
		await view(page, 'Functions');
		const names = await cells(page, 'function');
		check(names.includes('<script>alert(1)</script>'), 'the name is a text');
		check(names.some((name) => name.includes('\\u{202e}')), 'characters that turn the text around are shown');
		check(names.some((name) => name.includes('\\xff')), 'bytes that are no UTF-8 are shown');
		equal(await page.locator('script:not([type])').count(), 1, 'scripts');
		return { problems, close };
	},

	async 'names of 100,000 characters, tags and line separators are harmless'() {
		const file = profile('long');
		copyFileSync(profile('work'), file);
		const name = `std::map<${'std::pair<int, std::string>, '.repeat(3500)}int>::at`;
		run('sqlite3', file, `update function set name='${name}' where id=2; update function set name='</script><img src=x onerror=alert(1)>' where id=3;
			update function set name=char(8232)||'a'||char(0x2029)||'</style><!--' where id=6; update session set command_line='</title><script>alert(2)</script>'`);
		const { page, problems, close } = await openPage(browser, pageOf('long'));
		for (const title of await text(page.getByRole('tab')))
			await view(page, title);
		await view(page, 'Functions');
		check((await cells(page, 'function')).some((shown) => shown.startsWith('std::map<') && shown.includes('…') && shown.endsWith('>::at')), 'a long name is shortened in the middle');
		await rows(page).filter({ hasText: 'std::map<' }).first().click();
		check((await page.locator('.pane h2').textContent()).startsWith('std::'), 'and can be selected');
		check((await cells(page, 'function')).some((shown) => shown.startsWith('</script>')), 'tags are text');
		equal(await page.locator('img').count(), 0, 'elements made of names');
		check((await page.title()).includes('</title><script>'), 'the title is a text');
		return { problems, close };
	},

	async 'an empty profile has empty states'() {
		const { page, problems, close } = await openPage(browser, pageOf('empty'));
		for (const title of await text(page.getByRole('tab')))
			await view(page, title);
		await view(page, 'Summary');
		check(await page.getByText('No function ran').isVisible(), 'no empty state');
		return { problems, close };
	},

	async 'samples'() {
		const { page, problems, close } = await openPage(browser, pageOf('sampled'));
		const { functions } = report('functions', profile('sampled')).tables;
		await view(page, 'Functions');
		equal((await cells(page, 'inclusive_samples')).sort(), functions.map((row) => String(row.inclusive_samples)).sort(), 'inclusive samples');
		const shown = await page.evaluate(() => {
			const { selection, profile } = tarePage.state;
			return profile.functionNames.map((_, func) => [selection.of(func, 0, true), selection.of(func, 0, false)]).filter(([value]) => value);
		});
		equal(shown.sort(), functions.map((row) => [row.inclusive_samples, row.exclusive_samples]).sort(), 'samples from the call tree');
		await view(page, 'Lines');
		equal((await cells(page, 'exclusive_samples')).length, report('lines', profile('sampled')).tables.lines.length, 'lines');
		await view(page, 'Flame graph');
		return { problems, close };
	},

	async 'source lines are those of tare annotate, and nobody else\'s files are in the page'() {
		const { page, problems, close } = await openPage(browser, pageOf('sampled', '--embed-source=all'));
		await view(page, 'Source');
		const functions = page.getByLabel('Function', { exact: true });
		const offered = await functions.locator('option').evaluateAll((options) => options.map(({ value }) => tarePage.state.profile.functionNames[value]));
		/* Hostile names are shown escaped and cannot be asked for like that. */
		for (const [index, name] of offered.entries()) {
			if (name.includes('\\'))
				continue;
			await functions.selectOption({ index });
			const expected = report('annotate', name, profile('sampled')).tables.annotate;
			const shown = await page.evaluate(() => {
				const { state } = tarePage;
				const table = state.profile.table(`source:${state.selected}`) ?? state.profile.table(`assembly:${state.selected}`);
				const column = (wanted) => table.columns.find(({ name }) => name === wanted);
				return Array.from({ length: table.rows }, (_, row) => [table.value(column('exclusive_samples'), row), column('text') ? table.value(column('text'), row) : null]);
			});
			equal(shown.map(([samples]) => samples), expected.map((row) => row.exclusive_samples), `samples in ${name}`);
			check(await page.evaluate(() => !tarePage.state.profile.table(`source:${tarePage.state.selected}`)?.columns.some(({ name }) => name === 'address')), `${name} has instructions as its source`);
			equal(shown.map(([, text]) => text === null), expected.map((row) => row.text === null), `lines of ${name}`);
		}
		await close();
		/* The program is not here, so its debug information confirms no file: not even one that is here. */
		const plain = await openPage(browser, pageOf('sampled'));
		await view(plain.page, 'Source');
		const texts = await plain.page.evaluate(() => {
			const { profile } = tarePage.state;
			return profile.functionsWithCode.flatMap((func) => {
				const table = profile.table(`source:${func}`);
				const column = table?.columns.find(({ name }) => name === 'text');
				return column ? [func] : [];
			});
		});
		equal(texts, [], 'functions with text that only the profile vouches for');
		const push = await plain.page.evaluate(() => tarePage.state.profile.functionNames.findIndex((name) => name.includes('push_back')));
		await plain.page.evaluate((func) => tarePage.state.set('selected', func), push);
		check((await plain.page.locator('.signs').textContent()).includes('is left out: no debug information'), 'it is said why');
		await plain.close();
		const none = await openPage(browser, pageOf('sampled', '--embed-source=no'));
		equal(await none.page.evaluate(() => tarePage.state.profile.functionsWithCode.length), 0, 'no code where none was wanted');
		await view(none.page, 'Source');
		check((await none.page.locator('.view .empty').first().textContent()).includes('--embed-source=hot'), 'it is said how to get it');
		return { problems: [...problems, ...plain.problems, ...none.problems], close: none.close };
	},

	async 'prints'() {
		const { page, problems, close } = await openPage(browser, pageOf('work'));
		await view(page, 'Functions');
		const shown = await rows(page).count();
		await page.emulateMedia({ media: 'print' });
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		equal(await rows(page).count(), shown, 'rows on paper');
		const heads = await page.locator('.grid-head [role=row] .cell').evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)));
		const first = await rows(page).first().locator('.cell').evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)));
		equal(first, heads, 'cells below their heads');
		check(!await page.locator('.tools').isVisible(), 'no controls on paper');
		return { problems, close };
	},

	async 'a function stays selected from view to view, the tab in the address'() {
		const { page, problems, close } = await openPage(browser, `${pageOf('work')}#calltree`);
		equal(await page.getByRole('tab', { selected: true }).textContent(), 'Call tree', 'the address chooses the view');
		await view(page, 'Functions');
		await rows(page).filter({ hasText: 'parse' }).first().click();
		await view(page, 'Flame graph');
		equal(await page.locator('.pane h2').textContent(), 'parse', 'selected function');
		await page.goBack();
		equal(await page.getByRole('tab', { selected: true }).textContent(), 'Functions', 'back');
		return { problems, close };
	},

	async 'axe finds nothing, light and dark'() {
		const problems = [];
		for (const [name, colorScheme] of [['work', 'light'], ['work', 'dark'], ['cut', 'light']]) {
			const { page, close, problems: others } = await openPage(browser, pageOf(name), { colorScheme });
			for (const title of await text(page.getByRole('tab'))) {
				await view(page, title);
				problems.push(...await axeProblems(page, `${colorScheme} ${title}`));
			}
			problems.push(...others);
			await close();
		}
		return { problems };
	},
};

await runTests(tests);
