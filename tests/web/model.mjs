// What the page computes, without a browser: trees, selections, shapes, comparisons, rows, numbers and
// addresses, on trees of a few nodes whose values are known. Usage: node model.mjs
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = resolve(dirname(fileURLToPath(import.meta.url)), '../../web');
const MODULES = ['model/tree', 'model/selection', 'model/shape', 'model/compare', 'model/lanes', 'model/links', 'model/code', 'model/inlined', 'parts/flame_layout', 'parts/tree_rows', 'parts/sibling_rows', 'parts/time_axis', 'model/lane_rows', 'model/process_tree', 'model/wakers', 'format', 'address'];

if (!existsSync(join(web, 'node_modules/esbuild'))) {
	console.log('the packages of web/package-lock.json are not installed: cd web && npm ci');
	process.exit(77);
}
const { build } = createRequire(join(web, 'package.json'))('esbuild');
const { outputFiles: [{ text }] } = await build({
	stdin: { contents: MODULES.map((name) => `export * from './${name}.ts';`).join('\n'), resolveDir: join(web, 'src') },
	bundle: true, format: 'esm', write: false, target: 'es2022',
});
const { CallTree, Selection, shapeTree, hiddenNodes, Comparison, FlameLayout, rangeOf, TreeRows, percent, shortCount, shorten, besideModule, time, count, rangesOf, numbersOf,
	Lanes, Links, CodeTable, marginOf, InlinedRows, SiblingRows, axisOf, stepOf, zoomed, windowAt, LaneRows, parentProcess, Wakers, WakerFrames } =
	await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);

function equal(actual, expected, what) {
	const plain = (value) => JSON.stringify(value, (_, v) => (ArrayBuffer.isView(v) ? Array.from(v) : v));
	if (plain(actual) !== plain(expected))
		throw new Error(`${what}: ${plain(actual)} instead of ${plain(expected)}`);
}

const FOLDED = 1;

/** Nodes as [parent, function, exclusive, flags]; of one quantity. */
function treeOf(nodes, { beyond = [], elsewhere = [], threads = nodes.map(() => 0) } = {}) {
	return new CallTree({
		parent: Int32Array.from(nodes, ([parent]) => parent), func: Int32Array.from(nodes, ([, func]) => func),
		thread: Int32Array.from(threads), calls: Float64Array.from(nodes, ([parent]) => (parent < 0 ? 0 : 1)),
		flags: Uint8Array.from(nodes, ([, , , flags = 0]) => flags), exclusive: [Float64Array.from(nodes, ([, , value]) => value)],
		beyond: [Float64Array.from(beyond.flat())], elsewhere: [new Map(elsewhere)], os: () => [],
	});
}

/** Functions as whether they are of a system module. */
const profileOf = (system, tree, more = {}) => ({
	functionCount: system.length, functionModules: system.map((_, i) => i), moduleSystem: system.map(Number), tree,
	header: { quantities: [{ name: 'elapsed', unit: 'ticks', total: 1000 }], ticks_per_second: 1e9 }, treeOf: () => tree,
	osByThread: () => [], identity: (func) => `f${func}`, place: () => '', ...more,
});

/** A tree to be shown: nodes as [parent, value, exclusive]. */
const framesOf = (nodes) => ({
	kind: 'merged', size: nodes.length, parent: (node) => nodes[node][0], func: (node) => (node ? node : -1), isFolded: () => false,
	value: (node, _, inclusive) => nodes[node][inclusive ? 1 : 2] ?? 0, label: (node) => `f${node}`,
	children: (node) => nodes.flatMap(([parent], i) => (parent === node ? [i] : [])).sort((a, b) => nodes[b][1] - nodes[a][1]),
	hasChildren: (node) => nodes.some(([parent]) => parent === node),
});

const tests = {
	'rows of a tree stand below the nearest ancestor that is shown, siblings sorted, empty ones last'() {
		let told = 0;
		const rows = new SiblingRows(() => told++);
		const parents = [-1, 0, 1, 0, -1, 4];
		const keys = [5, 3, 9, null, 7, 1];
		const list = (shown, descending) => rows.list(shown, (row) => parents[row], (row) => keys[row], descending);
		equal(list([0, 1, 2, 3, 4, 5], true), [4, 5, 0, 1, 2, 3], 'descending');
		equal([0, 1, 2, 5].map((row) => [rows.level(row), rows.expanded(row), rows.parentOf(row)]), [[0, true, -1], [1, true, 0], [2, null, 1], [1, null, 4]], 'levels');
		equal(list([0, 1, 2, 3, 4, 5], false), [0, 1, 2, 3, 4, 5], 'ascending');
		equal(list([0, 2, 3, 5], true), [0, 2, 3, 5], 'without some');
		equal([rows.parentOf(2), rows.parentOf(5)], [0, -1], 'what stands below them');
		rows.toggle(0, false);
		equal([list([0, 1, 2, 3, 4, 5], true), told], [[4, 5, 0], 1], 'folded');
	},

	'a process stands below the last one of that number that began before it'() {
		/* number, number of the parent, begin */
		const processes = [[1, 0, 0], [2, 1, 10], [2, 1, 20], [3, 2, 15], [4, 2, 25], [1, 4, 30], [5, 5, 40]];
		const columns = [{ name: 'parent_pid' }, { name: 'begin' }];
		const parent = parentProcess({ processes: processes.map(([pid]) => ({ pid })) },
			{ rows: processes.length, columns, subject: { process: processes.map((_, i) => i) }, value: ({ name }, row) => processes[row][name === 'begin' ? 2 : 1] });
		equal(processes.map((_, row) => parent(row)), [-1, 0, 0, 1, 2, 4, -1], 'parents');
	},

	'axes count in 1, 2 and 5; zooming keeps a place and ends at the whole'() {
		equal([stepOf(10, 5), stepOf(10, 4), stepOf(10, 3), stepOf(1, 20)], [2, 5, 5, 0.05], 'steps');
		equal(axisOf(0, 4e9, 4).map(({ text }) => text), ['0 s', '1 s', '2 s', '3 s', '4 s'], 'seconds');
		equal(axisOf(1_200_000, 1_250_000, 3), [{ at: 1200000, text: '1.20 ms' }, { at: 1220000, text: '1.22 ms' }, { at: 1240000, text: '1.24 ms' }], 'decimals');
		equal(zoomed({ from: 0, to: 100 }, 25, 0.5, 100, 1), { from: 12.5, to: 62.5 }, 'in');
		equal(zoomed({ from: 80, to: 100 }, 100, 100, 100, 1), { from: 0, to: 100 }, 'out');
		equal(zoomed({ from: 0, to: 4 }, 2, 0.001, 100, 1), { from: 1.5, to: 2.5 }, 'no further');
		equal(windowAt(95, 10, 100, 1), { from: 90, to: 100 }, 'at the end');
	},

	'lanes: processes and names where there are several; many begin folded'() {
		const thread = (name, process, begin) => ({ name, process, begin, tid: begin });
		const lanes = new LaneRows({ threads: [thread('w', 0, 3), thread('m', 0, 1), thread('w', 0, 2), thread('x', 1, 4)],
			threadTitle: (id) => `t${id}`, processTitle: (id) => `p${id}` });
		lanes.set([0, 1, 2]);
		const shown = () => lanes.rows.map(({ title, level }) => `${level} ${title}`);
		equal(shown(), ['0 t1', '0 w (2 threads)', '1 t2', '1 t0'], 'one process');
		lanes.set([0, 1, 2, 3]);
		equal(shown(), ['0 p0', '1 t1', '1 w (2 threads)', '2 t2', '2 t0', '0 p1', '1 t3'], 'two');
		lanes.toggleAll(false);
		equal([shown(), lanes.anyFolded], [['0 p0', '0 p1'], true], 'folded');
		lanes.toggleAll(true);
		equal([shown().length, lanes.anyFolded, lanes.foldable], [7, false, true], 'open');
	},

	'inclusive values: folded paths are in their callers already'() {
		const tree = treeOf([[-1, -1, 1], [0, 0, 2], [1, 1, 4], [1, 2, 8, FOLDED]], { beyond: [[1, 8]] });
		equal(tree.inclusive[0], [15, 14, 4, 8], 'inclusive');
		equal([tree.roots, tree.hasFolded, tree.isFolded(3), tree.isFolded(2)], [[0], true, true, false], 'flags');
		const steps = [];
		tree.walk(0, (node) => steps.push(node), (node) => steps.push(-node));
		equal(steps, [0, 1, 2, -2, 3, -3, -1, -0], 'walk');
	},

	'the totals of some threads are those of their roots'() {
		const tree = treeOf([[-1, -1, 1], [0, 0, 2], [-1, -1, 10], [2, 0, 20], [3, 0, 40]], { threads: [0, 0, 1, 1, 1] });
		const profile = profileOf([false], tree);
		equal(new Selection(profile, null).totals, [1000], 'all');
		const one = new Selection(profile, new Set([1]));
		equal([one.totals, one.outside, one.roots], [[70], [10], [2]], 'one');
		equal([one.of(0, 0, true), one.of(0, 0, false), one.functions().calls], [60, 60, [2]], 'recursion counts once');
		const { callers, callees } = one.edges(0);
		equal(callers.map(({ func, calls, inclusive }) => [func, calls, ...inclusive]), [[-1, 1, 60], [0, 1, 40]], 'callers');
		equal(callees.map(({ func, inclusive }) => [func, ...inclusive]), [[0, 40]], 'callees');
	},

	'of system modules nothing stays, and its time is its callers\''() {
		/* mine calls a, which calls b, c, d, and that mine again; d calls e */
		const nodes = [[-1, -1, 1], [0, 0, 1], [1, 1, 1], [2, 2, 1], [3, 3, 1], [4, 4, 1], [5, 0, 1], [5, 5, 1]];
		const tree = treeOf(nodes);
		const profile = profileOf([false, true, true, true, true, true], tree);
		equal(hiddenNodes(profile, tree), [0, 0, 1, 1, 1, 1, 0, 1], 'hidden');
		const shaped = shapeTree(profile, tree, { root: null, myCode: true, foldRecursion: false });
		equal([shaped.parent, shaped.func], [[-1, 0, 1], [-1, 0, 0]], 'tree');
		equal([shaped.exclusive[0], shaped.inclusive[0][0]], [[1, 6, 1], 8], 'values');
	},

	'a function that stands on the path takes its calls, but not those that folded'() {
		const tree = treeOf([[-1, -1, 1], [0, 0, 2], [1, 1, 4], [2, 0, 8], [2, 0, 16, FOLDED]]);
		const flat = shapeTree(profileOf([false, false], tree), tree, { root: null, myCode: false, foldRecursion: true });
		equal([flat.parent, flat.func], [[-1, 0, 1, 2], [-1, 0, 1, 0]], 'tree');
		equal([flat.exclusive[0], flat.flags], [[1, 10, 4, 16], [0, 0, 0, FOLDED]], 'values');
	},

	'two profiles are compared in the time of the first'() {
		const tree = treeOf([[-1, -1, 1]]);
		const profile = profileOf([false, false], tree);
		const base = profileOf([false, false, false], tree, { identity: (func) => `f${func + 1}` });
		base.header = { ...base.header, ticks_per_second: 4e9 };
		const comparison = new Comparison(profile, base);
		equal([comparison.inBase, comparison.vanished], [[-1, 0], [1, 2]], 'functions');
		equal(comparison.scaled(800, 0), 200, 'ticks');
		profile.header.quantities[0].unit = 'samples';
		equal(comparison.scaled(800, 0), 800, 'samples');
	},

	'functions are the same by their place, whatever they are called, and else by their name'() {
		const tree = treeOf([[-1, -1, 1]]);
		const of = (names, places) => profileOf(names.map(() => false), tree, { identity: (func) => names[func], place: (func) => places[func] });
		const comparison = new Comparison(of(['yield', 'free', 'gone', 'old'], ['a 1', 'a 2', '', 'a 3']), of(['old', '__yield', 'free'], ['a 4', 'a 1', 'b 2']));
		equal([comparison.inBase, comparison.vanished], [[1, 2, -1, 0], []], 'functions');
		const once = new Comparison(of(['f', 'g'], ['a 1', '']), of(['g'], ['a 1']));
		equal([once.inBase, once.vanished], [[0, -1], []], 'no function is two');
	},

	'boxes stand side by side within their caller'() {
		const frames = framesOf([[-1, 100], [0, 60], [0, 40], [1, 70], [2, 30]]);
		const { rows } = new FlameLayout(frames, 0, { from: 0, to: 1 }, 200);
		equal(rows.map((row) => row.map(({ node, left, width }) => [node, Math.round(left), Math.round(width)])),
			[[[0, 0, 200]], [[1, 0, 120], [2, 120, 80]], [[3, 0, 120], [4, 120, 60]]], 'boxes');
		const layout = new FlameLayout(frames, 0, { from: 0.5, to: 1 }, 200);
		equal([layout.hit(39, 1)?.node, layout.hit(41, 1)?.node, layout.hit(199, 2)?.node ?? null, layout.hit(10, 5)], [1, 2, null, null], 'hits');
		equal(rangeOf(frames, 0, 2), { from: 0.6, to: 1 }, 'range');
	},

	'small rows are one row, which tells their sum'() {
		const frames = framesOf([[-1, 100], [0, 60], [0, 30], [0, 6], [0, 4]]);
		const rows = new TreeRows(frames);
		rows.toggle(0, true);
		const options = { quantity: 0, least: 10, ascending: false, fold: 0, always: () => false };
		equal(rows.list(options), [0, 1, 2, -2], 'rows');
		equal([rows.isRest(-2), rows.label(-2), rows.restText(-2, 'value', { total: () => 100 }, 0), rows.restText(-2, 'value', { total: () => 0 }, 0)],
			[true, '… 2 smaller rows', '10.00', '–'], 'rest');
		equal(rows.noiseText('10'), '2 rows below 10 % left out', 'noise');
		equal(rows.list({ ...options, ascending: true }), [0, 2, 1, -2], 'ascending');
		rows.toggle(-2, true);
		equal(rows.list(options), [0, 1, 2, 3, 4], 'all');
	},

	'frames that only call one another are one row'() {
		const frames = framesOf([[-1, 100], [0, 100], [1, 100, 1], [2, 99, 50]]);
		const rows = new TreeRows(frames);
		rows.toggle(0, true);
		equal(rows.list({ quantity: 0, least: 0, ascending: false, fold: 2, always: () => false }), [0, 1], 'rows');
		equal([rows.chain(1), rows.label(1), rows.exclusive(1, 0)], [[1, 2, 3], 'f1 → f2 → f3', 51], 'chain');
		equal(rows.list({ quantity: 0, least: 0, ascending: false, fold: 2, always: (node) => node === 3 }), [0, 1], 'always');
		equal(rows.chain(1), [1, 2], 'chain up to what is always shown');
	},

	'arrows of inner loops lie within those of outer ones'() {
		/* 9 → 1 around 7 → 3 around 6 → 4; 0 → 2 meets only the first of them, 8 → 10 too */
		const lanes = new Lanes([{ from: 9, to: 1 }, { from: 7, to: 3 }, { from: 6, to: 4 }, { from: 0, to: 2 }, { from: 8, to: 10 }], 8);
		const laneOf = (row) => lanes.of(row).lane;
		equal([laneOf(6), laneOf(7), laneOf(9)], [0, 1, 2], 'nested');
		equal([laneOf(0), laneOf(8)], [0, 0], 'beside');
		equal([lanes.count, lanes.leftOut, lanes.of(6).back, lanes.of(0).back], [3, 0, true, false], 'facts');
		equal(lanes.at(5).map(({ arrow, above, below, begins, ends }) => [arrow.lane, above, below, begins, ends]),
			[[0, true, true, false, false], [1, true, true, false, false], [2, true, true, false, false]], 'row within all');
		equal(lanes.at(4).map(({ arrow, above, below, begins, ends }) => [arrow.lane, above, below, begins, ends])[0], [0, false, true, false, true], 'row of a tip');
		equal(lanes.at(6)[0].begins, true, 'row of a jump');
		equal(lanes.at(11), [], 'row without arrows');
	},

	'arrows in a lane never meet, whatever jumps there are'() {
		let seed = 7;
		const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor((seed / 2147483648) * below); };
		for (let round = 0; round < 200; round++) {
			const jumps = Array.from({ length: random(60) }, (_, i) => ({ from: i * 3 + random(3), to: random(180) }));
			const lanes = new Lanes(jumps, 1 + random(12));
			const taken = new Set();
			for (const arrow of lanes.arrows.filter(({ lane }) => lane >= 0))
				for (let row = arrow.low; row <= arrow.high; row++) {
					const key = `${arrow.lane} ${row}`;
					if (taken.has(key))
						throw new Error(`two arrows in lane ${arrow.lane} at row ${row}`);
					taken.add(key);
				}
			equal(lanes.leftOut, lanes.arrows.filter(({ lane }) => lane < 0).length, 'left out');
			for (let row = 0; row < 180; row++)
				equal(lanes.at(row).map(({ arrow }) => arrow.lane), [...taken].filter((key) => key.endsWith(` ${row}`)).map((key) => Number(key.split(' ')[0])).sort((a, b) => a - b), `lanes at row ${row}`);
			for (const { from, to } of jumps)
				equal([lanes.of(from).to, lanes.of(from).from.includes(from)], [to, true], 'the jump has its arrow');
		}
	},

	'jumps to one row from one side share an arrow'() {
		const lanes = new Lanes([{ from: 2, to: 8 }, { from: 5, to: 8 }, { from: 11, to: 8 }, { from: 8, to: 8 }], 8);
		equal(lanes.arrows.map(({ to, back, from, low, high }) => [to, back, from, low, high]), [[8, false, [2, 5], 2, 8], [8, true, [8, 11], 8, 11]], 'arrows');
		equal(lanes.of(2) === lanes.of(5), true, 'shared');
		equal(new Lanes([{ from: 0, to: 9 }, { from: 1, to: 8 }, { from: 2, to: 7 }], 2).leftOut, 1, 'more arrows than lanes');
	},

	'lines have the instructions of what was inlined there'() {
		/* a.c:10 inlines b.h:5, which inlines b.h:2; the source shows the first two, and b.h:5 below a.c:12 too */
		const rows = [{ source: 'a.c', line: 9, level: 0 }, { source: 'a.c', line: 10, level: 0 }, { source: 'b.h', line: 5, level: 1 },
			{ source: 'a.c', line: 11, level: 0 }, { source: 'a.c', line: 12, level: 0 }, { source: 'b.h', line: 5, level: 1 }];
		const sources = ['a.c', 'b.h', 'b.h', 'a.c', 'b.h', 'z.c'];
		const places = { outer: [0, 1, 2, 0, 4, 0], line: [10, 5, 2, 12, 5, 1], source: (place) => sources[place - 1] };
		const links = new Links(rows, places, [1, 2, 3, 4, 5, 6, 0, 3]);
		equal([0, 1, 2, 3, 4, 5, 6, 7].map((instruction) => links.linesOf(instruction)), [[1], [1, 2], [1, 2], [4], [4, 5], [], [], [1, 2]], 'lines of instructions');
		equal([0, 1, 2, 3, 4, 5].map((row) => links.instructionsOf(row)), [[], [0, 1, 2, 7], [1, 2, 7], [], [3, 4], [4]], 'instructions of lines');
		equal([links.linesOf(99), links.instructionsOf(99)], [[], []], 'beyond the end');
	},

	'what was inlined from headers of run-time libraries is closed at first'() {
		const at = (source, level) => ({ source, line: 1, level });
		const tree = new InlinedRows([at('a.c', 0), at('mine.h', 1), at('/usr/include/c++/12/bits/stl_tree.h', 2), at('/usr/include/c++/12/map', 3), at('a.c', 0), at('/usr/include/x.h', 1), at('a.c', 0)]);
		equal(tree.list(), [0, 1, 4, 6], 'at first');
		equal([0, 1, 2, 3, 4, 5, 6].map((row) => tree.expanded(row)), [true, false, false, null, false, null, null], 'expanded');
		equal([tree.parentOf(3), tree.parentOf(1), tree.parentOf(4), tree.isShown(2), tree.isShown(1)], [2, 0, -1, false, true], 'parents');
		equal([0, 1, 2, 4, 6].map((row) => tree.standsFor(row)), [[0], [1, 2, 3], [2, 3], [4, 5], [6]], 'what closed rows stand for');
		tree.toggle(2, true);
		equal(tree.list(), [0, 1, 4, 6], 'below what is closed nothing is shown');
		tree.toggle(1, true);
		tree.toggle(0, true);
		equal(tree.list(), [0, 1, 2, 3, 4, 6], 'opened');
		tree.toggle(0, false);
		equal(tree.list(), [0, 4, 6], 'closed');
	},

	'the margin has the measure, or what is known of CPU time'() {
		const table = (columns) => new CodeTable({ name: 't', rows: 1, columns: columns.map(([name, type]) => ({ name, type })), subject: {}, value: () => null });
		const measure = (key, inclusive) => ({ key, inclusive });
		const sampled = table([['inclusive_samples', 'count'], ['inclusive_percent', 'percent'], ['exclusive_samples', 'count'], ['exclusive_percent', 'percent'], ['exclusive_weight', 'time'], ['exclusive_weight_percent', 'percent']]);
		equal(marginOf(sampled, measure('exclusive_samples', false)), { value: 'exclusive_samples', percent: 'exclusive_percent', exact: true }, 'samples');
		equal(marginOf(sampled, measure('cpu_exclusive', false)), { value: 'exclusive_weight', percent: 'exclusive_weight_percent', exact: true }, 'CPU by samples');
		equal(marginOf(sampled, measure('elapsed_inclusive', true)), { value: 'inclusive_samples', percent: 'inclusive_percent', exact: false }, 'elapsed is not known');
		const calls = table([['calls', 'count'], ['cpu_inclusive', 'time'], ['cpu_inclusive_percent', 'percent'], ['elapsed_inclusive', 'time']]);
		equal(marginOf(calls, measure('elapsed_inclusive', true)), { value: 'elapsed_inclusive', percent: null, exact: true }, 'elapsed of calls');
		equal(marginOf(calls, measure('cpu_exclusive', false)), { value: 'cpu_inclusive', percent: 'cpu_inclusive_percent', exact: false }, 'exclusive is not known of calls');
		equal(marginOf(table([['executions', 'count']]), measure('cpu_exclusive', false)), null, 'nothing');
	},

	'waits with who ended them: by row, by thread, and as stacks without what is hidden'() {
		/* Functions own, libc and kernel; threads 0 and 1 wait. Nodes: 0 ─ own ─ kernel ─ woken by ─ kernel ─ own ─ thread 1, and unseen; 1 ─ own ─ woken by ─ interrupt. */
		const columns = {
			'woken.parent': [0, 1, 1, 1, 1, 1, 1, 4, 0, 1, 1, 1], 'woken.subject': [0, 0, 2, 3, 2, 0, 7, 4, 1, 0, 3, 5],
			'woken.row': [5, 2, 2], 'woken.node': [6, 7, 11], 'woken.waits': [4, 2, 1], 'woken.ticks': [500, 30, 7], 'woken.longest': [200, 0, 7],
			'woken.steps': [1, 1, 1, 1, 1, 2], 'woken.step_kind': [2, 2, 2, 2, 2, 0, 1], 'woken.step_function': [0, 0, 0, 0, 0, 1, 0], 'woken.step_thread': [0, 0, 0, 0, 0, 2, 0],
			'woken.kernel': [0, 0, 1], 'wakers.#wakers': [5, 2],
		};
		const data = { indexes: (name) => Int32Array.from(columns[name] ?? []), numbers: (name) => Float64Array.from(columns[name] ?? []) };
		const profile = profileOf([false, true, true], treeOf([[-1, -1, 0]]), { data, functionNames: ['own', 'libc', 'kernel'], threadTitle: (thread) => `t${thread}`, threads: [{}, {}], processes: [] });
		const wakers = new Wakers(profile);
		equal([...wakers.sums(null)], [[0, { waits: 4, ticks: 500, longest: 200 }], [1, { waits: 3, ticks: 37, longest: 7 }]], 'all threads');
		equal([...wakers.sums(new Set([1]))], [[1, { waits: 1, ticks: 7, longest: 7 }]], 'one thread');
		equal(wakers.waiting(1, null), [[0, 30], [1, 7]], 'who waits');
		equal(wakers.waiting(1, new Set([1])), [[1, 7]], 'of one thread');
		equal(wakers.chain(0), [{ kind: 'thread', func: 0, thread: 1 }, { kind: 'interrupt', func: -1, thread: -1 }], 'who ended it');
		const stacksOf = (row, options, threads = null) => {
			const frames = new WakerFrames(new Selection(profile, threads), wakers.tree(row, options));
			return Array.from({ length: frames.size }, (_, node) => [frames.path(node).join(' '), frames.value(node, 0, false), frames.kindOf(node)]).filter(([, ns]) => ns);
		};
		equal(stacksOf(0, { kernel: true, myCode: false }), [['own kernel [woken by] kernel own t1', 500, 'waker']], 'one row');
		equal(stacksOf(0, { kernel: false, myCode: false }), [['own [woken by] own t1', 500, 'waker']], 'without the kernel');
		equal(stacksOf(-1, { kernel: true, myCode: true }).map(([path, ns]) => `${path} ${ns}`), ['own [woken by] own t1 500', 'own [woken by] [unseen] 30', 'own [woken by] [interrupt] 7'], 'my code');
		equal(stacksOf(1, { kernel: true, myCode: false }, new Set([1])), [['own [woken by] [interrupt]', 7, 'waker']], 'of one thread');
	},

	'numbers for people'() {
		equal([99999, 100000, 39988000, 999.4e6, 1.5e9].map(shortCount), ['99,999', '100k', '40.0M', '999M', '1.50G'], 'short counts');
		equal([percent(0.12345), percent(-0.05), percent(0), percent(NaN)], ['12.35', '−5.00', '0.00', '–'], 'percent');
		equal([count(1234567), count(-1000), count(999)], ['1,234,567', '−1,000', '999'], 'count');
		equal([time(999), time(1000), time(999999), time(1e6), time(9.999e9), time(1e10), time(-1500)],
			['999 ns', '1.000 µs', '999.999 µs', '1.000 ms', '9,999.000 ms', '10.000 s', '−1.500 µs'], 'time');
		equal([besideModule('libx.so+0x4970', 'libx.so'), besideModule('libx.so+0x4970 [folded]', 'libx.so'), besideModule('libx.so+0x4970', 'main'),
			besideModule('libx.so+0x4970 \u203a main', 'libx.so'), besideModule('main', 'main'), besideModule('a+b', '')],
			['+0x4970', '+0x4970 [folded]', 'libx.so+0x4970', 'libx.so+0x4970 \u203a main', 'main', 'a+b'], 'names beside their module');
		equal([shorten('abcdefghij', 5), shorten('abcde', 5), shorten('abcdef', 3), shorten('abc', 0)], ['ab…ij', 'abcde', 'abc', ''], 'shorten');
		equal([shorten('ab😀cdefgh', 7), shorten('abcdef😀gh', 7)], ['ab…fgh', 'abc…gh'], 'no half of a character');
	},

	'numbers in addresses'() {
		equal([rangesOf([7, 0, 1, 2]), rangesOf([3, 4]), rangesOf([5]), rangesOf([]), rangesOf([10, 9, 2])], ['0-2,7', '3-4', '5', '', '2,9-10'], 'written');
		const read = (text, bound) => { const set = numbersOf(text, bound); return set && [...set]; };
		equal([read('0-2,7', 9), read('0-2,7', 7), read('3-99', 5), read('x,', 5), read('9', 5)], [[0, 1, 2, 7], [0, 1, 2], [3, 4], null, null], 'read');
	},
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
	try {
		test();
		console.log(`ok ${name}`);
	} catch (error) {
		failed++;
		console.log(`FAILED ${name}: ${error.message}`);
	}
}
process.exit(failed ? 1 : 0);
