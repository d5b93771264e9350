// The timeline of the HTML report in a real browser. Usage: node timeline.mjs TARE MAKE_PROFILE WAITING_PROFILE
import { resolve } from 'node:path';
import { axeProblems, check, equal, openPage, run, settled } from './browser.mjs';
import { browser, cells, pageOf, profile, report, runTests, tare, text, time, times, view } from './report_page.mjs';

const waitingProfile = resolve(process.argv[4]);
run(waitingProfile, profile('lanes'), '24', '60', '2');
run(waitingProfile, profile('many'), '200', '20', '1');
run(waitingProfile, profile('calls'), '3', '60', '1', '40');

const LABELS = 230;
const AXIS = 24;
const ROW = 20;
const NAMES = ['Ran', 'Could run', 'Other waits', 'Lock', 'File or socket', 'Idle'];

const canvasOf = (page) => page.locator('.timeline canvas');
const timeline = (page, body, ...args) => page.evaluate(([source, values]) => {
	const { page: own, state } = tarePage;
	return new Function('view', 'state', 'args', source)(own.views.find(({ name }) => name === 'timeline'), state, values);
}, [body, args]);
const lanes = (page) => timeline(page, 'return view.lanes.rows.map(({ title }) => title)');

async function open(name, address = '#timeline', options = {}) {
	const opened = await openPage(browser, pageOf(name) + address, options);
	await settled(opened.page);
	return opened;
}

/** The middle of a lane, so far through the time in sight. */
async function point(page, row, share) {
	const box = await canvasOf(page).boundingBox();
	return [box.x + LABELS + (box.width - LABELS) * share, box.y + AXIS + (row + 0.5) * ROW];
}

/** Pixels as six hexadecimal digits, at [lane, part of the time in sight, pixels below its middle]. */
const pixels = (page, places) => page.evaluate(([labels, axis, height, wanted]) => {
	const canvas = document.querySelector('.timeline canvas');
	const wide = canvas.clientWidth - labels;
	const { data } = canvas.getContext('2d').getImageData(labels, 0, wide, canvas.clientHeight);
	return wanted.map(([row, part, below = 0]) => {
		const at = 4 * ((axis + (row + 0.5) * height + below) * wide + Math.floor(wide * part));
		return [0, 1, 2].map((byte) => data[at + byte].toString(16).padStart(2, '0')).join('');
	});
}, [LABELS, AXIS, ROW, places]);

const selected = (page) => page.evaluate(() => tarePage.state.profile.functionNames[tarePage.state.selected]);
const legend = async (page) => Object.fromEntries(await page.locator('.states-sum .legend > div').evaluateAll((all) =>
	all.map((entry) => [entry.querySelector('dt').textContent, entry.querySelector('dd').firstChild.textContent])));
const tip = async (page) => Object.fromEntries(await page.locator('.timeline .tip tr').evaluateAll((all) =>
	all.map((row) => [...row.children].map((cell) => cell.textContent))));

const tests = {
	async 'what lanes add up to is what threads have, to the tick'() {
		const { page, problems, close } = await open('lanes');
		const sums = await timeline(page, `return state.profile.threads.map((_, thread) => Array.from(view.sumOf([thread], null)))`);
		const rows = report('threads', profile('lanes'), '--unit=ticks', '--columns=all').tables.threads;
		equal(rows.length, sums.length, 'threads');
		const tids = await page.evaluate(() => tarePage.state.profile.threads.map(({ tid }) => tid));
		const causes = await page.evaluate(() => {
			const { profile } = tarePage.state;
			return Object.fromEntries(profile.header.causes.map((cause, i) => [cause, Array.from(profile.osByThread()[i])]));
		});
		for (const row of rows) {
			const thread = tids.indexOf(Number(row.tid ?? /\((\d+)\)/.exec(row.thread)[1]));
			const [ran, preempted, ...blocked] = sums[thread];
			equal(ran, row.cpu_inclusive_ticks + (row.outside_ticks ?? 0), `ran, of ${row.thread}`);
			equal(preempted, causes.preempted[thread], `preempted, of ${row.thread}`);
			equal(blocked.reduce((sum, value) => sum + value, 0), causes.blocked[thread], `blocked, of ${row.thread}`);
		}
		const header = report('summary', profile('lanes')).header;
		equal((await legend(page)).Ran, time(header.cpu_ns), 'the legend has the CPU time of all');
		return { problems, close };
	},

	async 'two halves of the time add up to all of it'() {
		const { page, problems, close } = await open('lanes');
		const worst = await timeline(page, `
			const sum = (range) => Array.from(view.sumOf(view.shownThreads(), range));
			const whole = sum(null);
			let most = 0;
			for (let middle = 0; middle < view.duration; middle += view.duration / 37) {
				const first = sum({ from: 0, to: middle });
				const second = sum({ from: middle, to: view.duration });
				whole.forEach((value, state) => { most = Math.max(most, Math.abs(first[state] + second[state] - value)); });
			}
			return most;`);
		check(worst < 1, `they differ by ${worst} ticks`);
		return { problems, close };
	},

	async 'lanes stand below their process and name, and fold'() {
		const { page, problems, close } = await open('lanes');
		equal((await lanes(page)).slice(0, 4), ['server0 (5000)', 'main (5001)', 'worker (11 threads)', 'worker (5002)'], 'lanes');
		equal((await lanes(page)).length, 2 * (1 + 1 + 1 + 11), 'number of lanes');
		const box = await canvasOf(page).boundingBox();
		await page.mouse.click(box.x + 60, box.y + AXIS + 2.5 * ROW);
		equal((await lanes(page)).length, 2 * (1 + 1 + 1 + 11) - 11, 'one name folded');
		await page.getByRole('button', { name: 'Unfold all' }).click();
		equal((await lanes(page)).length, 2 * (1 + 1 + 1 + 11), 'unfolded');
		await page.getByRole('button', { name: 'Fold all' }).click();
		equal(await lanes(page), ['server0 (5000)', 'server1 (5100)'], 'all folded');
		await close();
		const many = await open('many');
		equal(await lanes(many.page), ['main (5001)', 'worker (199 threads)'], 'many threads begin folded');
		await canvasOf(many.page).focus();
		for (const key of ['ArrowDown', 'Enter', 'End', 'ArrowDown'])
			await many.page.keyboard.press(key);
		equal((await lanes(many.page)).length, 201, 'Enter unfolds');
		return { problems: [...problems, ...many.problems], close: many.close };
	},

	async 'a lane has the colours of its states'() {
		const { page, problems, close } = await open('lanes');
		const colors = await page.evaluate(() => [0, 1, 2, 3, 4, 5].map((state) => getComputedStyle(document.documentElement).getPropertyValue(`--state-${state}`).trim().slice(1)));
		const places = await timeline(page, `
			const { states } = view;
			const thread = view.lanes.rows[1].threads[0];
			const [from, to] = states.spansOf(thread);
			const found = [];
			for (let span = from; span < to; span++) {
				const values = Array.from(states.valuesOf(span, new Float64Array(6)));
				const length = states.endOf(thread, span) - states.begin[span];
				const state = values.findIndex((value) => value > 0.999 * length);
				if (state >= 0 && length > view.duration / 200)
					found.push([state, (states.begin[span] + length / 2) / view.duration]);
			}
			return found;`);
		check(new Set(places.map(([state]) => state)).size >= 4, `states that are seen: ${JSON.stringify(places)}`);
		const parts = Array.from({ length: 50 }, (_, i) => (i + 20.5) / 100);
		const seen = await pixels(page, [...places.map(([, share]) => [1, share]), ...parts.map((part) => [0, part, 6]), ...parts.map((part) => [0, part, -6])]);
		places.forEach(([state, share], i) => equal(seen[i], colors[state], `the colour of ${NAMES[state]} at ${share}`));
		equal([...new Set(seen.slice(places.length, places.length + 50))], [colors[0]], 'at the bottom of a process its threads that ran');
		check(seen.slice(-50).includes(colors[5]), 'at the top those that are idle');
		return { problems, close };
	},

	async 'the pointer says what the state is, who waits where, and who has the lock'() {
		const { page, problems, close } = await open('lanes');
		const [at, begin, end] = await timeline(page, `
			const thread = view.lanes.rows[3].threads[0];
			const { states } = view;
			const [from, to] = states.spansOf(thread);
			for (let span = from; span < to; span++) {
				const length = states.endOf(thread, span) - states.begin[span];
				if (states.valuesOf(span, new Float64Array(6))[3] > view.duration / 400)
					return [(states.begin[span] + length / 2) / view.duration, view.ns(states.begin[span]), view.ns(states.endOf(thread, span))];
			}`);
		await page.mouse.move(...await point(page, 3, at));
		const facts = await tip(page);
		equal(facts.From, `${time(Math.round(begin))} to ${time(Math.round(end))}`, 'when');
		equal(facts.Lock, `${time(Math.round(end - begin))} · 100.00 %`, 'for how long');
		equal([facts['Waited for'], facts.In, facts['Called by'], facts['Held by']],
			['futex 0x1000 queue_lock (server)', 'pthread_mutex_lock', 'run_jobs', 'main (5001) in run_jobs'], 'for what');
		await page.mouse.click(...await point(page, 3, at));
		equal(await selected(page), 'pthread_mutex_lock', 'a click selects the function');
		await page.mouse.click(...await point(page, 3, at), { button: 'right' });
		await page.getByRole('menuitem', { name: 'Only this thread' }).click();
		equal(await lanes(page), ['worker (5002)'], 'one lane is left');
		const [x, y] = await point(page, 0, 0);
		await page.mouse.move(x - 150, y);
		equal((await tip(page)).Ran.split(' ·')[0], (await legend(page)).Ran, 'the name has the sums of its thread');
		return { problems, close };
	},

	async 'zooms and pans with the wheel and the keyboard'() {
		const { page, problems, close } = await open('lanes');
		const sight = () => timeline(page, 'const { from, to } = view.canvas.inSight; return [from / view.duration, to / view.duration]');
		await page.mouse.move(...await point(page, 1, 0.25));
		await page.keyboard.down('Control');
		for (let i = 0; i < 5; i++)
			await page.mouse.wheel(0, -100);
		await page.keyboard.up('Control');
		const [from, to] = await sight();
		check(to - from < 0.2 && from < 0.25 && to > 0.25 && Math.abs((0.25 - from) / (to - from) - 0.25) < 0.01, `zoomed around the pointer: ${from} to ${to}`);
		await page.mouse.wheel(200, 0);
		const [panned, end] = await sight();
		check(panned > from && Math.abs(end - panned - (to - from)) < 1e-9, `panned: ${panned} to ${end}`);
		await canvasOf(page).focus();
		await page.keyboard.press('Escape');
		equal(await sight(), [0, 1], 'Escape shows all');
		await page.keyboard.press('End');
		await page.keyboard.press('+');
		equal((await sight())[1], 1, 'zoomed at the end');
		await page.keyboard.press('Home');
		equal((await sight())[0], 0, 'the beginning is in sight');
		await page.keyboard.press('-');
		equal(await sight(), [0, 1], 'zoomed out');
		for (const key of ['ArrowDown', 'ArrowRight', 'Enter'])
			await page.keyboard.press(key);
		const around = await timeline(page, `
			const thread = view.lanes.rows[1].threads[0];
			const { from, to } = view.canvas.inSight;
			const [first] = view.states.spansOf(thread);
			const begin = view.states.begin[first + 1];
			const end = view.states.endOf(thread, first + 1);
			return [(to - from) / (end - begin), from <= begin && to >= end];`);
		check(Math.abs(around[0] - 1.5) < 0.01 && around[1], `Enter zooms to the state: ${around}`);
		const said = await page.locator('[aria-live]').textContent();
		check(said.startsWith('main (5001): From '), `it is said: ${said}`);
		return { problems, close };
	},

	async 'a part of the time is chosen, in the address, and what other views do is said'() {
		const { page, problems, close } = await open('lanes');
		const before = await legend(page);
		const [x, y] = await point(page, 1, 0.25);
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x + 50, y);
		await page.mouse.move((await point(page, 1, 0.5))[0], y);
		await page.mouse.up();
		const note = await page.locator('.view .note').textContent();
		check(/chosen: 2,5\d\d\.\d{3} ms to [45],\d{3}\.\d{3} ms/.test(note), `what is chosen: ${note}`);
		check(note.includes('other views show all of the time'), 'what other views do');
		const chosen = await legend(page);
		check(Object.keys(before).every((name) => chosen[name] !== before[name]), 'the sums are those of the part');
		await page.waitForTimeout(300);
		const address = new URL(page.url()).hash;
		check(/range=\d+-\d+/.test(address), `the address: ${address}`);
		const again = await open('lanes', address);
		equal(await legend(again.page), chosen, 'the same from its address');
		await again.close();
		await page.getByRole('button', { name: 'Zoom to it' }).click();
		const [from, to] = await timeline(page, 'const { from, to } = view.canvas.inSight; return [from / view.duration, to / view.duration]');
		check(Math.abs(from - 0.25) < 0.01 && Math.abs(to - 0.5) < 0.01, `in sight: ${from} to ${to}`);
		await canvasOf(page).focus();
		await page.keyboard.press('Escape');
		equal(await legend(page), before, 'Escape chooses all again');
		for (const key of ['Backspace', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Home', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight'])
			await page.keyboard.press(key);
		const spans = await timeline(page, `
			const range = view.range();
			const thread = view.lanes.rows[3].threads[0];
			const [first] = view.states.spansOf(thread);
			return [range.from - Math.round(view.states.begin[first + 1]), range.to - Math.round(view.states.endOf(thread, first + 3))];`);
		equal(spans, [0, 0], 'Shift and arrows choose from state to state');
		return { problems: [...problems, ...again.problems], close };
	},

	async 'calls over time stand below their thread, and marks on the lanes'() {
		const problems = [];
		for (const colorScheme of ['light', 'dark']) {
			const { page, problems: own, close } = await open('calls', '#timeline', { colorScheme });
			problems.push(...own);
			equal((await lanes(page)).slice(0, 6), ['main (5001)', 'calls', 'depth 1', 'worker (2 threads)', 'worker (5002)', 'calls'], 'lanes');
			const log = run(tare, 'report', 'calltrace', profile('calls'), '--format=csv').trim().split('\n');
			const calls = await timeline(page, `
				const calls = state.profile.callTimes;
				return [0, 1, 2].map((thread) => [0, 1].map((depth) => {
					const [from, to] = calls.callsOf(thread, depth);
					return Array.from({ length: to - from }, (_, i) => [calls.func[from + i], calls.begin[from + i], calls.end[from + i]]);
				}));`);
			equal(calls.map((rows) => rows.map((row) => row.length)), [[1, 40], [1, 40], [1, 40]], 'calls of each row');
			equal(log.filter((line) => /,enter,/.test(line)).length, 3 * 41, 'as in the event log');
			const second = 3e9;
			equal(calls[0][0], [[1, second, 9 * second]], 'the outermost call');
			equal(calls[1][1].slice(0, 2), [[2, 3e9, 33e8], [3, 36e8, 39e8]], 'calls in it');
			await page.mouse.move(...await point(page, 2, 0.105));
			const facts = await tip(page);
			equal([facts['Call of'], facts.Took, facts.From], ['pthread_mutex_lock', '100.000 ms', '1,000.000 ms to 1,100.000 ms'], 'what the pointer is at');
			await page.mouse.click(...await point(page, 2, 0.125));
			equal(await selected(page), 'recv', 'a click selects the function');
			await page.mouse.move(...await point(page, 2, 0.115));
			equal((await tip(page)).At, '1,150.000 ms: no call', 'between two calls');
			const accent = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim().slice(1));
			const marked = async (row, share) => (await pixels(page, [[row, share], [row, share - 0.0005], [row, share + 0.0005]])).includes(accent);
			await page.mouse.move(5, 5);
			equal([await marked(0, 0.1), await marked(4, 0.1), await marked(0, 0.2), await marked(4, 0.2)], [true, false, false, true], 'marks on the lanes of their threads');
			const box = await canvasOf(page).boundingBox();
			await page.mouse.move((await point(page, 0, 0.2))[0], box.y + AXIS - 4);
			equal(await page.locator('.timeline .tip').textContent(), 'mark 2', 'the pointer at a mark');
			await canvasOf(page).focus();
			await page.keyboard.press('Home');
			for (const key of ['n', 'n', 'p'])
				await page.keyboard.press(key);
			equal(await timeline(page, 'return [view.lanes.rows[view.canvas.cursor.row].title, view.canvas.cursor.time]'), ['main (5001)', second], 'n and p go from mark to mark');
			await page.keyboard.press('Enter');
			equal((await lanes(page)).slice(0, 2), ['main (5001)', 'worker (2 threads)'], 'calls are folded');
			for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight'])
				await page.keyboard.press(key);
			check((await page.locator('[aria-live]').textContent()).includes('depth 1: Call of recv'), 'what the keyboard is at is said');
			problems.push(...await axeProblems(page, `${colorScheme} calls`));
			await close();
		}
		return { problems };
	},

	async 'each view says that it shows all of the time, and the part that is chosen can be ended there'() {
		const address = '#timeline&range=3000000000-9000000000';
		const { page, problems, close } = await open('lanes', address);
		const said = page.locator('.unfiltered');
		const chip = page.locator('.chip', { hasText: 'time 1,000.000 ms to 3,000.000 ms' });
		equal([await said.textContent(), await text(page.locator('.chip'))], ['', ['time 1,000.000 ms to 3,000.000 ms ✕']], 'the timeline follows');
		const titles = (await text(page.getByRole('tab'))).filter((title) => title !== 'Timeline');
		check(titles.includes('Locks') && titles.includes('Call tree') && titles.includes('Recording'), `views: ${titles}`);
		const why = (title) => (title === 'Recording' ? 'what it has is known of the whole recording only' : 'calls are kept without their times');
		for (const title of titles) {
			await view(page, title);
			equal([await said.textContent(), await said.isVisible(), await chip.count()],
				[`This view shows all of the time, not only 1,000.000 ms to 3,000.000 ms: ${why(title)}.`, true, 1], title);
		}
		problems.push(...await axeProblems(page, 'what is not followed'));
		await view(page, 'Timeline');
		await chip.click();
		equal([(await page.locator('.view .note').textContent()).includes('drag to choose'), await chip.count()], [true, 0], 'ended in the timeline');
		const other = await open('lanes', address.replace('timeline', 'functions'));
		const saidThere = other.page.locator('.unfiltered');
		check((await saidThere.textContent()).includes('all of the time'), 'the same from its address');
		await other.page.locator('.chip').click();
		await other.page.waitForTimeout(300);
		equal([await saidThere.isVisible(), await other.page.locator('.chip').count(), /range/.test(other.page.url())], [false, 0, false], 'ended elsewhere');
		await other.close();
		problems.push(...other.problems);
		return { problems, close };
	},

	async 'threads that are left out have no lanes'() {
		const { page, problems, close } = await open('lanes');
		await view(page, 'Processes');
		await page.locator('.grid-row.data').filter({ hasText: 'server1' }).dblclick();
		await view(page, 'Timeline');
		equal((await lanes(page)).slice(0, 2), ['main (5013)', 'worker (11 threads)'], 'lanes of one process');
		await view(page, 'Threads');
		equal((await cells(page, 'thread')).length, 12, 'threads');
		const { page: work, close: closeWork, problems: others } = await openPage(browser, pageOf('work'));
		check(!(await text(work.getByRole('tab'))).includes('Timeline'), 'no timeline where the profile has none');
		await closeWork();
		return { problems: [...problems, ...others], close };
	},

	async 'samples alone have lanes, with the sums of their waits; a part of the time chooses samples too'() {
		const { page, problems, close } = await open('switched');
		equal(await lanes(page), ['serve (60)', 'worker (61)'], 'lanes');
		const sums = await timeline(page, 'return state.profile.threads.map((_, thread) => Array.from(view.sumOf([thread], null)))');
		const weights = (event) => Object.fromEntries(report('threads', profile('switched'), `--event=${event}`).tables.threads.map((row) => [row.tid, row.inclusive_weight]));
		const [blocked, preempted] = [weights('off-cpu'), weights('preempted')];
		sums.forEach(([ran, couldRun, ...waited], thread) => {
			const tid = 60 + thread;
			equal([couldRun, waited.reduce((sum, value) => sum + value, 0)], [preempted[tid] ?? 0, blocked[tid]], `waits of ${tid}`);
			equal(ran, 20 * 90000 - (preempted[tid] ?? 0) - blocked[tid], `CPU time of ${tid}`);
		});
		equal(sums.map(([, , ...waited]) => waited), [[0, 300000, 300000, 0], [0, 750000, 0, 750000]], 'by cause');
		await page.mouse.move(...await point(page, 1, (100000 + 30000) / 2e6));
		const facts = await tip(page);
		equal([facts.Idle, facts['System call'], facts.In], ['75.000 µs · 100.00 %', 'epoll_wait', 'serve'], 'for what');
		const all = await legend(page);
		const samples = () => page.evaluate(() => tarePage.state.selection.tree.exclusive[0].reduce((sum, value) => sum + value, 0));
		const before = await samples();
		const [x, y] = await point(page, 0, 0.25);
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x + 50, y);
		await page.mouse.move((await point(page, 0, 0.5))[0], y);
		await page.mouse.up();
		check(Object.entries(await legend(page)).every(([name, value]) => value !== all[name]), 'the sums are those of the part');
		const chosen = await samples();
		check(chosen > before * 0.15 && chosen < before * 0.35, `${chosen} of ${before} samples are of a quarter of the time`);
		check(!(await page.locator('.view .note').textContent()).includes('other views'), 'nothing is left out elsewhere');
		return { problems, close };
	},

	async 'locks have the rows of tare report, who had them, and lead to functions'() {
		const { page, problems, close } = await open('lanes', '#locks');
		const { locks } = report('locks', profile('lanes')).tables;
		equal(locks.length, 24, 'rows of the report');
		const expected = [...locks].sort((a, b) => b.os_time_ns - a.os_time_ns);
		equal(await cells(page, 'blocked_by_thread'), expected.map((row) => row.blocked_by_thread ?? ''), 'threads that had it, by time');
		equal(await cells(page, 'os_longest'), await times(page, 'os_longest', expected), 'the longest wait');
		await page.locator('[data-key=count]').click();
		equal((await cells(page, 'count')).map(Number), locks.map((row) => row.count).sort((a, b) => b - a), 'sorted by the number of waits');
		const sum = locks.reduce((all, row) => all + row.os_time_ns, 0);
		equal(await page.locator('.above .lead b').textContent(), time(sum), 'all of them');
		check((await page.locator('.above .bar-detail').textContent()).startsWith(`${locks.reduce((all, row) => all + row.count, 0)} waits`), 'by lock');
		await page.locator('.grid-row.data').first().click({ button: 'right' });
		await page.getByRole('menuitem', { name: 'Who had it: run_jobs' }).click();
		equal(await selected(page), 'run_jobs', 'the function that had it');
		await page.goBack();
		await page.locator('.grid-row.data').first().dblclick();
		equal(await selected(page), 'pthread_mutex_lock', 'the function that waited');
		return { problems, close };
	},

	async 'axe finds nothing, light and dark'() {
		const problems = [];
		for (const colorScheme of ['light', 'dark']) {
			const { page, close, problems: others } = await open('lanes', '#timeline&range=3000000000-9000000000', { colorScheme });
			await page.mouse.move(...await point(page, 3, 0.4));
			problems.push(...await axeProblems(page, `${colorScheme} timeline`));
			await view(page, 'Locks');
			problems.push(...await axeProblems(page, `${colorScheme} locks`));
			await view(page, 'Processes');
			problems.push(...await axeProblems(page, `${colorScheme} processes`));
			problems.push(...others);
			await close();
		}
		return { problems };
	},
};

await runTests(tests);
