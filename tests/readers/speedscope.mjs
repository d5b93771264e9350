// speedscope reads exports: the page that its npm package ships imports them in a headless browser
// and gives back what it has understood (its own Save); sums, functions and stacks are those that
// tare reports. It reads its own format, which has to obey its schema too, and folded stacks, pprof,
// callgrind and Chrome's JSON. Usage: speedscope.mjs TARE (PROFILE | MAKE_PROFILE)…
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run, skip, startBrowser, web, work } from '../web/browser.mjs';
import { OUTSIDE, Report, made, plain } from './report.mjs';

const require = createRequire(join(web, 'package.json'));
const release = join(web, 'node_modules/speedscope/dist/release');
if (!existsSync(release))
	skip('the packages of web/package-lock.json are not installed: cd web && npm ci');

const [tare, ...rest] = process.argv.slice(2);
const browser = await startBrowser(['--enable-unsafe-swiftshader']);
let count = 0;

const page = await (await browser.newContext({ acceptDownloads: true })).newPage();
page.setDefaultTimeout(30000);
let said = [];
page.on('pageerror', (error) => said.push(error.message));
page.on('dialog', (dialog) => { said.push(dialog.message()); dialog.dismiss(); });
// The way in is that of its own command, which hands the page a script with the file.
writeFileSync(join(work, 'none.js'), '');
await page.goto(`file://${join(release, 'index.html')}#localProfilePath=${join(work, 'none.js')}`);
await page.waitForFunction(() => window.speedscope);

/** What speedscope has made of a file: profiles with values of frames, of their own and inclusive. */
async function imported(name, bytes) {
	said = [];
	const done = new Promise((resolve, reject) => page.on('console', (message) => {
		said.push(message.text());
		if (/^import:/.test(message.text()))
			resolve();
		if (/^Failed/.test(message.text()))
			reject(new Error(`speedscope does not import ${name}: ${said.join('; ')}`));
	}));
	await page.evaluate(([title, text]) => window.speedscope.loadFileFromBase64(title, text), [name, bytes.toString('base64')]);
	await done.finally(() => page.removeAllListeners('console'));
	const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
	const saved = JSON.parse(readFileSync(await download.path(), 'utf8'));
	return { said, profiles: saved.profiles.map((profile) => replay(profile, saved.shared.frames)) };
}

/** Begins and ends of frames, as speedscope saves them: a frame that is open twice counts once. */
function replay(profile, frames) {
	const self = new Map(), total = new Map(), stacks = new Set(), open = [];
	let before = profile.startValue;
	for (const event of profile.events) {
		const passed = event.at - before;
		before = event.at;
		if (passed && open.length) {
			for (const frame of new Set(open))
				total.set(frame, (total.get(frame) ?? 0) + passed);
			const top = open.at(-1);
			self.set(top, (self.get(top) ?? 0) + passed);
			stacks.add(open.join());
		}
		if (event.type === 'O')
			open.push(event.frame);
		else if (open.pop() !== event.frame)
			throw new Error('frames that do not nest');
	}
	const named = (values) => {
		const byName = new Map();
		for (const [frame, value] of values)
			byName.set(frames[frame].name, (byName.get(frames[frame].name) ?? 0) + value);
		return byName;
	};
	return { name: profile.name, unit: profile.unit, self: named(self), total: named(total), stacks };
}

function merge(profiles) {
	const self = new Map(), total = new Map();
	for (const profile of profiles)
		for (const [to, from] of [[self, profile.self], [total, profile.total]])
			for (const [name, value] of from)
				to.set(name, (to.get(name) ?? 0) + value);
	return { self, total, stacks: new Set(profiles.flatMap((profile) => [...profile.stacks])) };
}

const exported = (report, ...more) => {
	const file = join(work, `export-${count++}`);
	run(tare, 'export', report.profile, ...report.options, ...more, '-o', file);
	return readFileSync(file);
};

const { default: Ajv } = await import(require.resolve('ajv')).catch(() => skip('ajv is not installed: cd web && npm ci'));
const schema = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(join(release, 'file-format-schema.json'), 'utf8')));

const equal = (actual, expected, what) => {
	if (actual !== expected)
		throw new Error(`${what}: ${actual} instead of ${expected}`);
};

async function checkOwn(report) {
	const bytes = exported(report, '--format=speedscope');
	if (!schema(JSON.parse(bytes)))
		throw new Error(`${report.profile}: against speedscope's schema: ${JSON.stringify(schema.errors)}`);
	const { profiles } = await imported('made.speedscope.json', bytes);
	for (const measure of Object.keys(report.measures)) {
		const parts = profiles.filter((profile) => profile.name.endsWith(`, ${measure}`));
		for (const part of parts) {
			equal(part.unit, ['calls', 'samples'].includes(measure) ? 'none' : 'nanoseconds', `unit of ${part.name}`);
			const thread = part.name.slice(0, -measure.length - 2);
			const found = part.stacks.size - (part.self.has(OUTSIDE) ? 1 : 0);
			const [least, most] = report.pathsWithValue(measure, thread);
			if (found < least || found > most)
				throw new Error(`${report.profile}: ${found} stacks of ${part.name}, tare reports ${least} to ${most}`);
		}
		const all = merge(parts);
		report.compare('speedscope', measure, all.self, all.total, 16);
	}
}

async function checkFolded(report) {
	for (const measure of Object.keys(report.measures)) {
		const { said, profiles } = await imported('made.txt', exported(report, '--format=folded', `--measure=${measure}`));
		equal(said.includes('Importing as collapsed stack format'), true, `${report.profile}: folded as folded: ${said}`);
		const [{ self, total }] = profiles;
		// The outermost frame is the process: nothing is its own.
		for (const row of report.threads)
			total.delete(row.process) || total.delete(row.process.replace(/ \(\d+\)$/, ''));
		report.compare('folded', measure, self, total, 16);
	}
}

async function checkPprof(report) {
	for (const measure of Object.keys(report.measures)) {
		const { said, profiles } = await imported('made.pb.gz', exported(report, '--format=pprof', `--measure=${measure}`));
		equal(said.includes('Importing as protobuf encoded pprof file'), true, `${report.profile}: pprof as pprof: ${said}`);
		report.compare('pprof', measure, profiles[0].self, profiles[0].total, 16);
	}
}

/** speedscope takes shares off a sum and adds them again; where that ends at a half, it may refuse its own result. */
function isRounding(message) {
	const [, last, next] = /increasing order of cumulative value. Last sample was (\d+), this sample was (\d+)/.exec(message) ?? [];
	return Number(last) - Number(next) === 1;
}

// speedscope makes a tree of callgrind's graph, by shares: sums are exact, functions are not.
async function checkCallgrind(report) {
	const made = await imported('callgrind.out.made', exported(report, '--format=callgrind')).catch((error) => {
		if (!isRounding(error.message))
			throw error;
	});
	if (!made) {
		console.log(`${report.profile}: callgrind was left out, as speedscope has rounded a sum below the one before`);
		return;
	}
	const { said, profiles } = made;
	equal(said.includes('Importing as Callgrind profile'), true, `${report.profile}: callgrind as callgrind: ${said}`);
	const costs = Object.keys(report.measures).filter((measure) => measure !== 'calls');
	equal(profiles.length, costs.length, `${report.profile}: events of callgrind`);
	profiles.forEach((profile, i) => {
		for (const name of profile.self.keys())
			if (name !== OUTSIDE && !report.names.has(plain(name)))
				throw new Error(`${report.profile}: callgrind has a function ${name}`);
		const all = [...profile.self.values()].reduce((a, b) => a + b, 0);
		const tolerance = report.total(costs[i]) * (report.header.calls_folded ? 0.05 : 0.0001);
		if (Math.abs(all - report.total(costs[i])) > tolerance)
			throw new Error(`${report.profile}: callgrind, ${costs[i]}: ${all}, tare reports ${report.total(costs[i])}`);
	});
}

// Samples by their times: what a sample stands for lies before it, rounded to microseconds.
async function checkTimes(report) {
	const event = Object.keys(report.measures)[1];
	const { said, profiles } = await imported('made.json', exported(report, '--format=chrome'));
	equal(said.includes('Importing as Chrome Timeline Object'), true, `${report.profile}: samples as Chrome's: ${said}`);
	const all = merge(profiles);
	const ns = (values) => new Map([...values].map(([name, us]) => [name, us * 1000]));
	const slack = report.header.samples * 1000;
	report.compare('chrome', event, ns(all.self), ns(all.total), slack, slack);
	equal(profiles.length, report.threads.filter((row) => Number(row.inclusive_samples)).length, `${report.profile}: threads with samples`);
}

// Begins and ends of calls: speedscope has the times of functions that these make.
async function checkCalls(report) {
	const bytes = exported(report, '--format=chrome');
	const { said, profiles } = await imported('made.json', bytes);
	equal(said.includes('Importing as Trace Event Format profile'), true, `${report.profile}: calls as Trace Event Format: ${said}`);
	const self = new Map(), open = new Map();
	let calls = 0;
	const pass = (thread, ts) => {
		const top = thread.stack.at(-1);
		if (top !== undefined)
			self.set(top, (self.get(top) ?? 0) + ts - thread.ts);
		thread.ts = ts;
	};
	const events = JSON.parse(bytes).traceEvents;
	for (const event of events.filter(({ ph }) => ph === 'B' || ph === 'E')) {
		const id = `${event.pid} ${event.tid}`;
		const thread = open.get(id) ?? { stack: [], ts: event.ts };
		open.set(id, thread);
		pass(thread, event.ts);
		if (event.ph === 'B')
			thread.stack.push(event.name);
		else
			thread.stack.pop();
		calls += event.ph === 'B' ? 1 : 0;
	}
	// What threads did over time are rows of their own, of any recording.
	const states = new Set(events.filter(({ ph }) => ph === 'X').map(({ pid, tid }) => `${pid} ${tid}`));
	equal(profiles.length, open.size + states.size, `${report.profile}: threads with calls, and with states`);
	const found = merge(profiles).self;
	for (const [name, us] of self)
		if (Math.abs(us - (found.get(name) ?? 0)) > 0.001 * calls)
			throw new Error(`${report.profile}: ${name} has ${found.get(name)} us in speedscope, ${us} in the log`);
	console.log(`${report.profile}: ${calls} calls of the log`);
}

/** Whether the profile has what formats of events are made from. */
function hasTimes(report) {
	const file = join(work, 'tried.json');
	const tried = spawnSync(tare, ['export', report.profile, ...report.options, '--format=chrome', '-o', file], { encoding: 'utf8' });
	return tried.status === 0;
}

async function check(profile, ...options) {
	const report = new Report(tare, profile, options);
	const timed = hasTimes(report);
	if (timed && report.sampled && (options.length || profile.endsWith('samples.tare')))
		await checkTimes(report);
	else if (timed && !report.sampled)
		await checkCalls(report);
	await checkOwn(report);
	await checkFolded(report);
	await checkPprof(report);
	await checkCallgrind(report);
	console.log(`${profile} ${options}: ${report.first} ${report.total(report.first)} in speedscope as in the report`);
}

for (const [profile, ...options] of made(rest))
	await check(profile, ...options);
await browser.close();
