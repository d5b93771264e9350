// Source and instructions side by side, of a program that is compiled and recorded here: what belongs
// together, arrows of jumps, large functions, text that looks like HTML. objdump and addr2line know the
// truth. Usage: node code.mjs TARE MAKE_PROFILE
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeProblems, check, equal, openPage, run, skip, work } from './browser.mjs';
import { browser, profile, report, rows, runTests, tare, text, view } from './report_page.mjs';

for (const tool of ['cc', 'objdump', 'addr2line'])
	if (spawnSync(tool, ['--version']).status !== 0)
		skip(`there is no ${tool}: scripts/setup build test installs it`);

const HEADER = `static inline unsigned mixed(unsigned value)
{
	value ^= value >> 16; /* <script>alert(1)</script> */
	return value * 0x7feb352du;
}
`;
const SOURCE = `#include "mixed.h"
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned busy(unsigned rounds)
{
	unsigned sum = 0; /* <img src=x onerror=alert(2)> & "quotes" */
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned j = 0; j < 8; j++)
			sum += mixed(i ^ j);
		if (sum % 5 == 3)
			sum ^= i;
		else if (sum % 7 == 2)
			sum += 3;
	}
	return sum;
}

/* large.c */
unsigned large(unsigned rounds);

int main(void)
{
	printf("%u %u\\n", busy(30000000), large(3000));
}
`;

/** A function of more than 10,000 lines and instructions. */
function largeSource() {
	const lines = Array.from({ length: 10500 }, (_, i) => `\t\tif (sum & ${1 << (i % 20)}u) sum += ${i + 1}u;`);
	return `unsigned large(unsigned rounds);\nunsigned large(unsigned rounds)\n{\n\tunsigned sum = rounds;\n\tfor (unsigned i = 0; i < rounds; i++) {\n${lines.join('\n')}\n\t}\n\treturn sum;\n}\n`;
}

const program = join(work, 'busy');
writeFileSync(join(work, 'mixed.h'), HEADER);
writeFileSync(join(work, 'busy.c'), SOURCE);
writeFileSync(join(work, 'large.c'), largeSource());
/* Optimizing a function of that size takes minutes. */
run('cc', '-g', '-O0', '-c', '-o', join(work, 'large.o'), join(work, 'large.c'));
run('cc', '-g', '-O1', '-o', program, join(work, 'busy.c'), join(work, 'large.o'));
run(tare, 'record', '-q', '-o', profile('busy'), '--', program);
const file = (...options) => {
	const out = join(work, `busy${options.join('').replace(/[^a-z]/g, '-')}.html`);
	run(tare, 'view', profile('busy'), '-o', out, ...options);
	return out;
};
const page_file = file();
const open = (address = '#source', options = {}) => openPage(browser, page_file + address, options);

/** Instructions of a function: address, text, and the lines that addr2line knows, innermost first. */
function known(name) {
	const listing = run('objdump', '-d', '--no-show-raw-insn', `--disassemble=${name}`, program);
	const instructions = [...listing.matchAll(/^\s+([0-9a-f]+):\s+(.*)$/gm)].map(([, address, what]) => ({ address, text: what.trim() }));
	const answers = run('addr2line', '-i', '-a', '-e', program, ...instructions.map(({ address }) => address)).split(/^0x[0-9a-f]+\n/m).slice(1);
	return instructions.map((instruction, i) => ({ ...instruction, lines: answers[i].trim().split('\n').map((place) => place.split('/').at(-1).replace(/ .*/, '')) }));
}

const lines = (page) => page.getByRole('treegrid', { name: 'Source lines' });
const instructions = (page) => page.getByRole('grid', { name: 'Instructions' });
/** What the page has of the selected function's instructions. */
const listed = (page) => page.evaluate(() => {
	const { profile, selected } = tarePage.state;
	const table = profile.table(`assembly:${selected}`);
	const cell = (name, row) => table.value(table.columns.find((column) => column.name === name), row);
	const column = (name) => profile.data.numbers(`assembly:${selected}.#${name}`);
	const [kind, target, place] = ['kind', 'target', 'place'].map(column);
	return Array.from({ length: table.rows }, (_, row) => ({ address: cell('address', row).replace(/^0x/, ''), kind: kind[row], target: target[row], place: profile.placeText(place[row]) }));
});
const choose = (page, name) => page.evaluate((wanted) => tarePage.state.set('selected', tarePage.state.profile.functionNames.indexOf(wanted)), name);
/** Without the sign of what was inlined there. */
const plain = (what) => what.replace(/^[▾▸]/, '').trim();
const selectedText = (grid) => grid.locator('[aria-selected=true] .cell.code').textContent();
const linkedTexts = (grid) => text(grid.locator('.linked .cell.code'));

const tests = {
	async 'the hottest function is open at its hottest line, with its values in the margins'() {
		const { page, problems, close } = await open();
		const hottest = report('functions', profile('busy')).tables.functions.reduce((best, row) => (row.cpu_exclusive_ns > best.cpu_exclusive_ns ? row : best)).function;
		equal(await page.evaluate(() => tarePage.state.profile.functionNames[tarePage.state.selected]), hottest, 'function');
		await choose(page, 'busy');
		check(await lines(page).isVisible() && await instructions(page).isVisible(), 'both are there');
		const expected = report('annotate', 'busy', profile('busy')).tables.annotate.filter((row) => row.level === 0 || row.level === null);
		const heat = await rows(page).evaluateAll((all) => all.filter((row) => row.closest('[aria-label="Source lines"]') && !row.classList.contains('inlined'))
			.map((row) => [row.children[1].textContent, row.children[0].textContent]).filter(([, value]) => value));
		equal(heat, expected.filter((row) => row.inclusive_samples > 0).map((row) => [String(row.line), row.inclusive_percent.toFixed(2)]), 'inclusive share by line');
		const best = expected.reduce((most, row) => (row.inclusive_samples > most.inclusive_samples ? row : most));
		equal(await lines(page).locator('[aria-selected=true]').evaluate((row) => row.children[1].textContent), String(best.line), 'hottest line');
		const source = SOURCE.split('\n');
		const shown = await lines(page).locator('.grid-row.data:not(.inlined)').evaluateAll((all) => all.sort((a, b) => a.dataset.index - b.dataset.index).map((row) => [Number(row.children[1].textContent), row.children[2].textContent]));
		equal(shown.map(([line]) => line), Array.from({ length: 13 }, (_, i) => 5 + i), 'all lines of the function');
		for (const [line, what] of shown)
			equal(plain(what), source[line - 1].trim(), `line ${line}`);
		await page.keyboard.press('i');
		check((await page.locator('.signs').textContent()).includes('Of lines') === false, 'CPU time of lines is known');
		await page.keyboard.press('e');
		check((await page.locator('.signs').textContent()).includes('by samples; other times are known of functions'), 'what is not known is said');
		return { problems, close };
	},

	async 'instructions are those of objdump, with the lines of addr2line'() {
		const { page, problems, close } = await open();
		for (const name of ['busy', 'main']) {
			await choose(page, name);
			const truth = known(name);
			const shown = await listed(page);
			equal(shown.map(({ address }) => address), truth.map(({ address }) => address), `addresses of ${name}`);
			equal(shown.map(({ place }) => place.split(', inlined at ')), truth.map((row) => row.lines), `lines of ${name}`);
			const jump = /^j\w+\s+([0-9a-f]+) /;
			for (const [row, instruction] of truth.entries()) {
				const to = jump.exec(instruction.text)?.[1];
				equal(shown[row].target - 1, to ? truth.findIndex(({ address }) => address === to) : -1, `target of ${instruction.text}`);
				equal(shown[row].kind, /^jmp\b/.test(instruction.text) ? 2 : /^j/.test(instruction.text) ? 1 : /^call/.test(instruction.text) ? 4 : /^ret/.test(instruction.text) ? 6 : 0, `kind of ${instruction.text}`);
			}
		}
		return { problems, close };
	},

	async 'a line lights up its instructions, and an instruction its lines'() {
		const { page, problems, close } = await open();
		await choose(page, 'busy');
		const truth = known('busy');
		const line = lines(page).locator('.grid-row.data:not(.inlined)').filter({ hasText: 'sum += mixed(i ^ j);' });
		const expected = truth.filter((row) => row.lines.at(-1) === 'busy.c:10').map(({ text: what }) => what.split(/\s/)[0]);
		check(expected.length > 2, 'the line has instructions');
		await line.click();
		const mnemonics = async () => (await linkedTexts(instructions(page))).map((what) => what.split(' ')[0]);
		equal((await mnemonics()).length, expected.length, 'instructions of the line');
		check((await page.locator('.view [role=status]').textContent()).includes(`line 10 · ${expected.length} instructions`), 'it is said how many');
		/* What else changes leaves both sides where they are. */
		const places = () => page.evaluate(() => [...document.querySelectorAll('.code-split .grid-scroller')].map(({ scrollTop }) => scrollTop));
		await page.setViewportSize({ width: 1440, height: 420 });
		await instructions(page).evaluate((grid) => { grid.scrollTop = 300; });
		const before = await places();
		await page.keyboard.press('i');
		equal([before[1], await places()], [300, before], 'places');
		await page.setViewportSize({ width: 1440, height: 900 });
		/* Hovering lights up others for as long as it lasts. */
		await lines(page).locator('.grid-row.data', { hasText: 'return sum;' }).hover();
		equal((await mnemonics()).length, truth.filter((row) => row.lines.at(-1) === 'busy.c:16').length, 'hovered');
		await page.locator('h1').hover();
		equal((await mnemonics()).length, expected.length, 'what was clicked again');
		/* By keyboard to the other side and back. */
		await lines(page).focus();
		await page.keyboard.press('Enter');
		check(await instructions(page).evaluate((grid) => grid === document.activeElement), 'Enter goes to the instructions');
		equal(plain((await linkedTexts(lines(page)))[0]), 'sum += mixed(i ^ j);', 'lines of the instruction');
		await page.keyboard.press('Home');
		const first = SOURCE.split('\n')[Number(truth[0].lines.at(-1).split(':')[1]) - 1];
		equal((await linkedTexts(lines(page))).map(plain), [first.trim()], 'lines of the first instruction');
		return { problems, close };
	},

	async 'jumps are arrows that can be followed'() {
		const { page, problems, close } = await open('#instructions', { viewport: { width: 1300, height: 2000 } });
		await choose(page, 'busy');
		const truth = known('busy');
		const jumps = truth.map(({ text: what }, row) => [row, truth.findIndex(({ address }) => address === /^j\w+\s+([0-9a-f]+) /.exec(what)?.[1])]).filter(([, to]) => to >= 0);
		const back = jumps.filter(([from, to]) => to <= from);
		check(back.length >= 2 && jumps.length > back.length, `loops and others: ${JSON.stringify(jumps)}`);
		const at = (row) => instructions(page).locator(`[data-index="${row}"]`);
		for (const [from, to] of jumps) {
			check(await at(from).locator('svg path').count() > 0, `an arrow begins at row ${from}`);
			equal(await at(to).locator('svg polygon').count(), 1, `an arrow ends at row ${to}`);
		}
		const [from, to] = back[0];
		equal(await instructions(page).locator('.jump.chosen').count(), 0, 'no arrow is marked');
		await at(from).click({ position: { x: 20, y: 8 } });
		equal(await instructions(page).locator('.jump.chosen').count(), from - to + 1, 'the arrow of the selected jump');
		await page.keyboard.press('j');
		equal(await at(to).getAttribute('aria-selected'), 'true', 'j follows it');
		equal(await instructions(page).locator('.cell.bytes').count(), 0, 'no bytes at first');
		await page.getByRole('button', { name: 'Bytes' }).click();
		const bytes = run('objdump', '-d', '--disassemble=busy', program).match(/^\s+[0-9a-f]+:\t([0-9a-f ]+)\t/m)[1].trim();
		equal(await at(0).locator('.cell.bytes').textContent(), bytes, 'bytes');
		/* A call is followed to the function, whose code is there. */
		await choose(page, 'main');
		await instructions(page).locator('.symbol.link', { hasText: '<busy>' }).click();
		equal(await page.evaluate(() => tarePage.state.profile.functionNames[tarePage.state.selected]), 'busy', 'the function that is called');
		return { problems, close };
	},

	async 'executions stand in a margin of their own, and only where they are known'() {
		const { page, problems, close } = await open();
		await choose(page, 'busy');
		equal(await page.getByRole('columnheader', { name: 'Executions' }).count(), 0, 'no margin where nothing is known');
		await page.evaluate(() => {
			const { profile, selected } = tarePage.state;
			for (const [kind, cells] of [['source', [null, 1, 0, 1234567]], ['assembly', [7, null, 0]]]) {
				const table = profile.table(`${kind}:${selected}`);
				const { value } = table;
				table.columns.push({ name: 'executions', group: '', title: 'Executions', type: 'count', each: 0 });
				table.value = (column, row) => (column.name === 'executions' ? cells[row] ?? null : value(column, row));
			}
		});
		await choose(page, 'main');
		await choose(page, 'busy');
		const shown = (grid, n) => grid.locator('.grid-row.data').evaluateAll((all, many) => all.sort((a, b) => a.dataset.index - b.dataset.index).slice(0, many).map((row) => [row.children[1].textContent, row.children[1].classList.contains('heat')]), n);
		await lines(page).focus();
		await page.keyboard.press('Home');
		equal(await shown(lines(page), 5), [['', false], ['1', true], ['0', true], ['1,234,567', true], ['?', false]], 'of lines');
		await instructions(page).focus();
		await page.keyboard.press('Home');
		equal(await shown(instructions(page), 4), [['7', true], ['?', false], ['0', true], ['?', false]], 'of instructions');
		return { problems, close };
	},

	async 'executions of lines, instructions and jumps are those that were counted'() {
		run(tare, 'record', '-q', '--lines', '-o', profile('executed'), '--', program);
		const out = join(work, 'executed.html');
		run(tare, 'view', profile('executed'), '-o', out);
		const { page, problems, close } = await openPage(browser, `${out}#source`, { viewport: { width: 1440, height: 2000 } });
		await choose(page, 'busy');
		const column = async (grid, title) => {
			const at = (await text(grid.getByRole('columnheader'))).indexOf(title);
			check(at >= 0, `a column ${title}`);
			return grid.locator('.grid-row.data').evaluateAll((all, index) => all.sort((a, b) => a.dataset.index - b.dataset.index).map((row) => row.children[index].textContent.replaceAll(',', '')), at);
		};
		const numbers = await column(lines(page), 'Line');
		const times = await column(lines(page), 'Executions');
		equal(numbers.flatMap((line, i) => (line ? [[line, times[i]]] : [])), report('annotate', 'busy', profile('executed')).tables.annotate.filter((row) => !row.level)
			.map((row) => [String(row.line), row.executions === null ? '' : String(row.executions)]).filter(([line]) => numbers.includes(line)), 'of lines');
		const ofLines = await column(lines(page), 'Taken / not');
		await view(page, 'Instructions');
		const each = await column(instructions(page), 'Executions');
		const jumps = await column(instructions(page), 'Taken / not');
		const conditional = (await listed(page)).flatMap(({ kind }, row) => (kind === 1 ? [row] : []));
		equal(jumps.flatMap((shown, row) => (shown ? [row] : [])), conditional, 'of conditional jumps');
		for (const row of conditional)
			equal(jumps[row].split(' / ').reduce((sum, n) => sum + Number(n), 0), Number(each[row]), `taken and not taken of row ${row}`);
		equal([each[0], Math.max(...each.map(Number))], ['1', 240000000], 'one call, 30,000,000 rounds of 8');
		/* What each function executed stands in its row. */
		await view(page, 'Functions');
		const functions = page.getByRole('grid', { name: 'Functions' });
		const names = await column(functions, 'Function'), ran = await column(functions, 'Instructions');
		const told = report('functions', profile('executed')).tables.functions;
		for (const name of ['busy', 'large', 'main'])
			equal(ran[names.indexOf(name)], String(told.find((row) => row.function === name).instructions), `instructions of ${name}`);
		/* As lcov's file has them for the lines. */
		const branches = run(tare, 'export', '--format=lcov', profile('executed')).match(/^SF:.*busy\.c\n[^]*?end_of_record/m)[0];
		const expected = new Map();
		for (const [, line, , taken] of branches.matchAll(/^BRDA:(\d+),([^,]+),[^,]+,(\d+)/gm))
			expected.set(line, [...expected.get(line) ?? [], taken]);
		const inFunction = numbers.flatMap((line, i) => (Number(line) && ofLines[i] ? [[line, ofLines[i]]] : []));
		check(inFunction.length >= 3, 'lines with jumps');
		for (const [line, shown] of inFunction) {
			const sides = (expected.get(line) ?? []).map(Number);
			const [first, more] = shown.split(' +');
			const times = first.split(' / ').map((side) => parseFloat(side) * ({ k: 1e3, M: 1e6 }[side.at(-1)] ?? 1));
			const [least, most] = sides.slice(0, 2).sort((a, b) => a - b);
			check(Math.abs(Math.min(...times) - least) <= least / 200 && Math.abs(Math.max(...times) - most) <= most / 200, `line ${line}: ${shown}, lcov ${sides}`);
			equal(Number(more ?? 0), sides.length / 2 - 1, `further jumps of line ${line}`);
		}
		return { problems, close };
	},

	async 'source text is text'() {
		const { page, problems, close } = await open();
		await choose(page, 'busy');
		check((await text(lines(page).locator('.cell.code'))).some((what) => what.includes('<img src=x onerror=alert(2)> & "quotes"')), 'as it is in the file');
		equal(await page.locator('img').count(), 0, 'elements made of source');
		equal(await page.locator('script:not([type])').count(), 1, 'scripts');
		return { problems, close };
	},

	async 'of large functions only what is in sight is there'() {
		const { page, problems, close } = await open();
		await choose(page, 'large');
		const count = async (grid) => Number(await grid.getAttribute('aria-rowcount'));
		check(await count(lines(page)) > 10000 && await count(instructions(page)) > 10000, 'many lines and instructions');
		for (const key of ['End', 'PageUp', 'Home', 'End']) {
			await lines(page).focus();
			await page.keyboard.press(key);
			check(await rows(page).count() < 200, `${await rows(page).count()} rows after ${key}`);
			check(await page.locator('.view *').count() < 4000, `${await page.locator('.view *').count()} elements after ${key}`);
		}
		/* Both sides go together, also far from the beginning. */
		equal(await selectedText(lines(page)), '}', 'the last line');
		/* The other side follows with its next frame, which a busy machine draws late. */
		const isInSight = async () => (await linkedTexts(instructions(page))).some((what) => what.startsWith('ret'));
		for (let tries = 0; tries < 50 && !(await isInSight()); tries++)
			await page.waitForTimeout(100);
		check(await isInSight(), 'its instructions are in sight');
		return { problems, close };
	},

	async 'rows of lines and instructions lead to their code'() {
		const { page, problems, close } = await open('#lines');
		const line = rows(page).filter({ hasText: 'busy.c' }).first();
		const number = await line.evaluate((row) => [...row.children].map((cell) => cell.textContent).find((what, i, all) => all[i - 1]?.includes('busy.c')));
		await line.dblclick();
		equal(await page.getByRole('tab', { selected: true }).textContent(), 'Source', 'the view');
		equal(await lines(page).locator('[aria-selected=true]').evaluate((row) => row.children[1].textContent), number, 'the line');
		await page.evaluate(() => tarePage.state.choose('list', 'all'));
		await view(page, 'Instructions');
		const instruction = rows(page).filter({ hasText: 'busy.c' }).first();
		const address = await instruction.evaluate((row) => [...row.children].map((cell) => cell.textContent).find((what) => /^0x/.test(what)));
		await instruction.dblclick();
		equal(`0x${await instructions(page).locator('[aria-selected=true]').evaluate((row) => row.children[1].textContent)}`, address, 'the instruction');
		return { problems, close };
	},

	async 'what was inlined can be opened and closed'() {
		const { page, problems, close } = await open();
		await choose(page, 'busy');
		const inlined = lines(page).locator('.grid-row.inlined');
		await inlined.first().waitFor(); // mixed() stands below the line that it was inlined at
		const before = await inlined.count();
		check((await inlined.first().textContent()).includes('mixed · mixed.h:'), 'with its place');
		await lines(page).locator('.grid-row.data:not(.inlined)').filter({ hasText: 'sum += mixed(i ^ j);' }).click();
		await page.keyboard.press('ArrowLeft');
		equal(await inlined.count(), 0, 'ArrowLeft closes');
		/* Then the line has what was inlined there: nothing is lost. */
		await page.keyboard.press('i');
		const sum = (await lines(page).locator('.grid-row.data').evaluateAll((all) => all.map((row) => Number(row.children[0].textContent)))).reduce((all, share) => all + share, 0);
		const expected = report('annotate', 'busy', profile('busy')).tables.annotate.reduce((all, row) => all + row.cpu_exclusive_percent, 0);
		check(Math.abs(sum - expected) < 0.1, `exclusive shares: ${sum} instead of ${expected}`);
		await page.keyboard.press('ArrowRight');
		equal(await inlined.count(), before, 'ArrowRight opens');
		return { problems, close };
	},

	async 'what was left out is said'() {
		const { page, problems, close } = await openPage(browser, `${file('--embed-source=no')}#source`);
		check((await page.locator('.view .empty').first().textContent()).includes('tare view --embed-source=hot'), 'how to get it');
		equal(await page.getByRole('treegrid', { name: 'Source lines' }).count(), 0, 'nothing is shown');
		await close();
		const all = await openPage(browser, `${file('--embed-source=all')}#source`);
		const code = await all.page.evaluate(() => tarePage.state.profile.header.code);
		equal([code.functions_embedded, code.most_functions], [code.functions, 0], 'all');
		return { problems: [...problems, ...all.problems], close: all.close };
	},

	async 'a part of the timeline is one of the samples'() {
		const { page, problems, close } = await openPage(browser, `${file('--method=sample')}#timeline`);
		const samples = () => page.evaluate(() => tarePage.state.selection.totals[0]);
		const all = await samples();
		const box = await page.locator('.timeline canvas').boundingBox();
		const at = (share) => box.x + 230 + (box.width - 230) * share;
		await page.mouse.move(at(0.2), box.y + 40);
		await page.mouse.down();
		await page.mouse.move(at(0.4), box.y + 40);
		await page.mouse.move(at(0.7), box.y + 40);
		await page.mouse.up();
		const some = await samples();
		check(some > 0 && some < all, `samples of half of the time: ${some} of ${all}`);
		check(!(await page.locator('.view .note').first().textContent()).includes('other views'), 'nothing is said of other views');
		await view(page, 'Functions');
		check(await page.locator('.chip', { hasText: 'time' }).isVisible(), 'a button that ends it');
		await page.locator('.chip', { hasText: 'time' }).click();
		equal(await samples(), all, 'all again');
		return { problems, close };
	},

	async 'filters do not reach lines, which is said'() {
		const { page, problems, close } = await open('#source');
		const note = async () => (await text(page.locator('.view .signs'))).join(' ');
		await choose(page, 'busy');
		check(!(await note()).includes('all of the time'), `nothing is left out yet: ${await note()}`);
		await page.evaluate(() => tarePage.state.filter({ threads: new Set([0]) }));
		for (const title of ['Source', 'Instructions', 'Lines']) {
			await view(page, title);
			check((await page.locator('.view').first().textContent()).includes('of all threads and all of the time'), `${title} says nothing`);
		}
		return { problems, close };
	},

	async 'axe finds nothing in code, light and dark'() {
		const problems = [];
		for (const colorScheme of ['light', 'dark']) {
			const { page, close, problems: others } = await open('#source', { colorScheme });
			for (const title of ['Source', 'Instructions']) {
				await view(page, title);
				await choose(page, 'busy');
				problems.push(...await axeProblems(page, `${colorScheme} ${title}`));
			}
			problems.push(...others);
			await close();
		}
		return { problems };
	},
};

await runTests(tests);
