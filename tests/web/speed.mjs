// How fast the page is with many call paths: time to the first view, and frames while scrolling and
// zooming, with the browser's frames not held back to those of a screen.
// Usage: node speed.mjs TARE LARGE_PROFILE [NODES [BOUND]]. BOUND: how many times the limits of
// 1000 ms and 16 ms may be exceeded.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { frameTimes, judge, run, startBrowser, work } from './browser.mjs';

const [tare, largeProfile] = process.argv.slice(2, 4).map((path) => resolve(path));
const nodes = process.argv[4] ?? '100000';
const bound = Number(process.argv[5] ?? 1);
const browser = await startBrowser(['--disable-frame-rate-limit', '--disable-gpu-vsync']);
const profile = join(work, 'large.tare');
const file = join(work, 'large.html');
run(largeProfile, profile, nodes);
run(tare, 'view', profile, '-o', file);
console.log(`${nodes} call paths: a page of ${(statSync(file).size / 1e6).toFixed(1)} MB`);

const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const first = [];
for (let i = 0; i < 3; i++) {
	await page.goto('about:blank');
	await page.goto(`file://${file}`);
	await page.waitForFunction(() => performance.getEntriesByName('tare-ready').length > 0);
	first.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))));
}

const open = (title) => page.getByRole('tab', { name: title, exact: true }).click();
const results = { 'first view': [first, 1000] };
const measure = async (name, step) => {
	await page.waitForTimeout(300);
	results[name] = [await frameTimes(page, step), 16];
};
const scroll = (pixels) => `document.querySelector('.grid-scroller').scrollTop += ${pixels};`;
await open('Functions');
await measure('scrolling functions', scroll(170));
await measure('scrolling functions fast', scroll(4000));
await open('Call tree');
await page.locator('.grid-row').nth(1).click();
await page.getByRole('button', { name: 'Expand' }).click();
await measure('scrolling the call tree', scroll(170));
await open('Flame graph');
await measure('zooming the flame graph', `document.querySelector('.flame canvas').dispatchEvent(new WheelEvent('wheel', {
	deltaY: i % 60 < 30 ? -30 : 30, ctrlKey: true, clientX: 300, clientY: 300, bubbles: true, cancelable: true }));`);
await measure('moving the flame graph', `document.querySelector('.flame canvas').dispatchEvent(new WheelEvent('wheel', {
	deltaX: i % 40 < 20 ? 40 : -40, bubbles: true, cancelable: true }));`);
await browser.close();

process.exit(judge(results, bound) ? 1 : 0);
