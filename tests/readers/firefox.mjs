// The Firefox Profiler reads exports: its command line (npm: @firefox-devtools/profiler-cli) brings
// them to its own version and sums them up per thread; these are the sums that tare reports.
// Usage: firefox.mjs TARE (PROFILE | MAKE_PROFILE)…
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, skip, web, work } from '../web/browser.mjs';
import { OUTSIDE, Report, made } from './report.mjs';

const program = join(web, 'node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js');
if (!existsSync(program))
	skip('the packages of web/package-lock.json are not installed: cd web && npm ci');
const [tare, ...profiles] = process.argv.slice(2);
const sessions = join(work, 'sessions');
mkdirSync(sessions);
process.env.PROFILER_CLI_SESSION_DIR = sessions;
const probe = spawnSync(process.execPath, [program, '--version'], { encoding: 'utf8' });
if (probe.status !== 0)
	skip(`profiler-cli does not run with node ${process.versions.node}, it is made for 24: ${probe.stderr.trim().split('\n').at(-1)}`);

const ask = (...words) => JSON.parse(run(process.execPath, program, ...words, '--json', '--session', 'tare'));

/** Its server, which answers the questions; started here, so that it ends with this test in any case. */
let server;
process.on('exit', () => server?.kill('SIGKILL'));
function load(file) {
	server?.kill('SIGKILL');
	rmSync(sessions, { recursive: true, force: true });
	mkdirSync(sessions);
	server = spawn(process.execPath, [program, '--daemon', file, '--session', 'tare'], { stdio: 'ignore' });
	server.unref();
	const until = Date.now() + 60000;
	for (;;) {
		if (readdirSync(sessions).some((name) => name.endsWith('.sock')))
			try {
				return ask('thread', 'list', '--limit', '0').threads;
			} catch (error) {
				if (Date.now() > until)
					throw error;
			}
		if (Date.now() > until)
			throw new Error(`the server of profiler-cli does not start: ${readdirSync(sessions)}`);
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
	}
}

/** The ids that the export gives a thread of the report. */
function ids(thread, report) {
	const processes = report.processes.filter((each) => each.pid === thread.pid)
		.sort((a, b) => a.begin_ns - b.begin_ns).map((each) => each.process);
	const again = processes.indexOf(thread.process);
	return [thread.pid, thread.tid].map((id) => (again > 0 ? `${id}.${again}` : id));
}

function check(profile, ...options) {
	const report = new Report(tare, profile, options);
	// Each question takes half a second.
	for (const measure of /hostile|cut/.test(profile) ? [report.first] : Object.keys(report.measures)) {
		const scale = ['calls', 'samples'].includes(measure) ? 1 : 1e6; // nanoseconds
		const file = join(work, 'made.json');
		run(tare, 'export', profile, ...options, '--format=firefox', `--measure=${measure}`, '-o', file);
		const self = new Map(), total = new Map();
		for (const { threadHandle, name, pid, tid } of load(file)) {
			const found = ask('thread', 'functions', '--thread', threadHandle, '--include-idle', '--limit', '0');
			// Of the programs that a process executed one after the other, the later ones are "PID.1", ….
			const row = report.threads.filter((each) => ids(each, report).join() === [pid, String(tid)].join())[0];
			if (!row || !row.thread.startsWith(name))
				throw new Error(`${profile}: tare reports no thread ${name} (${tid}) of ${pid}`);
			let all = 0;
			for (const { name: called, selfSamples, totalSamples } of found.functions) {
				self.set(called, (self.get(called) ?? 0) + selfSamples * scale);
				total.set(called, (total.get(called) ?? 0) + totalSamples * scale);
				all += called === OUTSIDE ? 0 : selfSamples * scale;
			}
			const expected = report.threadTotal(row, measure);
			if (!report.header.calls_folded && Math.abs(all - expected) > 16)
				throw new Error(`${profile}: firefox, ${measure}: ${all} in ${row.thread}, tare reports ${expected}`);
		}
		report.compare('firefox', measure, self, total, 16);
	}
	console.log(`${profile} ${options}: ${report.first} ${report.total(report.first)} in the Firefox Profiler as in the report`);
}

for (const [profile, ...options] of made(profiles))
	check(profile, ...options);
