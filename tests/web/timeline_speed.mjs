// How fast the timeline is with 1,000 threads and a million waits: the page's size, the time to its first
// view and to that of the timeline, and frames while zooming, panning and scrolling.
// Usage: node timeline_speed.mjs TARE WAITING_PROFILE [BOUND]. BOUND: how many times the limits of
// 1000 ms and 20 ms may be exceeded; that of the page's size never is.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { frameTimes, judge, run, startBrowser, work } from './browser.mjs';

const [tare, waitingProfile] = process.argv.slice(2, 4).map((path) => resolve(path));
const bound = Number(process.argv[4] ?? 1);
const MOST_MB = 20;
const browser = await startBrowser(['--disable-frame-rate-limit', '--disable-gpu-vsync']);
const profile = join(work, 'waiting.tare');
const file = join(work, 'waiting.html');
run(waitingProfile, profile, '1000', '1000');
run(tare, 'view', profile, '-o', file);
const megabytes = statSync(file).size / 1e6;
console.log(`1,000 threads, 1,000,000 waits, 2,000,000 changes of state: a page of ${megabytes.toFixed(1)} MB`);

const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))));
const openings = async (address) => {
	const times = [];
	for (let i = 0; i < 3; i++) {
		await page.goto('about:blank');
		await page.goto(`file://${file}${address}`);
		await page.waitForFunction(() => performance.getEntriesByName('tare-ready').length > 0);
		times.push(await painted());
	}
	return times;
};
const results = { 'first view': [await openings(''), 1000], 'the timeline as first view': [await openings('#timeline'), 1000] };

const measure = async (name, step) => {
	await page.waitForTimeout(300);
	results[name] = [await frameTimes(page, step), 20];
};
const wheel = (what) => `document.querySelector('.timeline canvas').dispatchEvent(new WheelEvent('wheel', {
	${what}, clientX: 700, clientY: 400, bubbles: true, cancelable: true }));`;
const zoom = wheel('deltaY: i % 60 < 30 ? -30 : 30, ctrlKey: true');
const pan = wheel('deltaX: i % 40 < 20 ? 40 : -40');
await measure('zooming, threads folded', zoom);
await measure('moving, threads folded', pan);
await page.getByRole('button', { name: 'Unfold all' }).click();
await measure('zooming all lanes', zoom);
await measure('moving all lanes', pan);
await measure('scrolling through lanes', `document.querySelector('.lanes-scroller').scrollTop += 150;`);
await browser.close();

process.exit(judge(results, bound) || megabytes > MOST_MB ? 1 : 0);
