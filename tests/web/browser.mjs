// A browser, pages made by tare, and checks: what the tests of the page share.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const web = resolve(dirname(fileURLToPath(import.meta.url)), '../../web');
const require = createRequire(join(web, 'package.json'));

export function skip(reason) {
	console.log(reason);
	process.exit(77);
}

export async function startBrowser(more = []) {
	const executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
	if (!executable)
		skip('there is no chromium: scripts/setup web installs it');
	if (!existsSync(join(web, 'node_modules/playwright-core')))
		skip('the packages of web/package-lock.json are not installed: cd web && npm ci');
	if (Number(process.versions.node.split('.')[0]) < 18)
		skip(`node ${process.versions.node} is too old for playwright-core: it needs 18`);
	const { chromium } = require('playwright-core');
	try {
		return await chromium.launch({
			executablePath: executable,
			args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
				'--disable-component-update', '--disable-sync', '--force-device-scale-factor=1', ...more],
		});
	} catch (error) {
		return skip(`chromium does not start here: ${String(error.message).split('\n')[0]}`);
	}
}

export const work = mkdtempSync(join(tmpdir(), 'tare-web-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

export function run(command, ...args) {
	const result = spawnSync(command, args, { maxBuffer: 1 << 30, encoding: 'utf8' });
	if (result.status !== 0)
		throw new Error(`${command} ${args.join(' ')}: status ${result.status}, ${result.stderr}`);
	return result.stdout;
}

/** Opens a page made by `tare view`; collects what it must not do. */
export async function openPage(browser, file, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(20000);
	const problems = [];
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type()))
			problems.push(`console: ${message.text()}`);
	});
	page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
	page.on('dialog', (dialog) => { problems.push('a dialog of a name'); dialog.dismiss(); });
	page.on('request', (request) => {
		if (!request.url().startsWith('file://') && !request.url().startsWith('data:'))
			problems.push(`request: ${request.url()}`);
	});
	await page.goto(`file://${file}`);
	await page.waitForFunction(() => performance.getEntriesByName('tare-ready').length > 0);
	return { page, problems, close: () => context.close() };
}

/** What axe finds, a line each. The page forbids scripts from elsewhere; axe comes in by the debugger. */
export async function axeProblems(page, where) {
	await page.evaluate(readFileSync(join(dirname(require.resolve('axe-core')), 'axe.min.js'), 'utf8'));
	const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
	return violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary.replaceAll('\n', ' ').slice(0, 300)}`);
}

export function equal(actual, expected, what) {
	if (JSON.stringify(actual) !== JSON.stringify(expected))
		throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** After so many frames: what was changed is drawn. */
export const settled = (page, frames = 2) => page.evaluate(async (left) => {
	while (left--)
		await new Promise(requestAnimationFrame);
}, frames);

export function check(condition, what) {
	if (!condition)
		throw new Error(what);
}

/** Milliseconds between frames while `step`, the body of a function of `i`, is done in each of them. */
export const frameTimes = (page, step) => page.evaluate(async (body) => {
	const act = new Function('i', body);
	const times = [];
	let last = 0;
	for (let i = 0; i < 120; i++) {
		act(i);
		const now = await new Promise(requestAnimationFrame);
		if (last)
			times.push(now - last);
		last = now;
	}
	return times;
}, step);

/** Prints what was measured, by name as [times, limit]; returns how many medians exceed their limit `bound` times. */
export function judge(results, bound) {
	let slow = 0;
	for (const [name, [times, limit]] of Object.entries(results)) {
		times.sort((a, b) => a - b);
		const median = times[Math.floor(times.length / 2)];
		slow += median > limit * bound ? 1 : 0;
		console.log(`${name}: median ${median.toFixed(1)} ms, most ${times.at(-1).toFixed(1)} ms${median > limit ? ` (more than ${limit} ms)` : ''}`);
	}
	return slow;
}
