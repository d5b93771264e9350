// What the page computes, without a browser: trees, selections, shapes, comparisons, rows, numbers and
// addresses, on trees of a few nodes whose values are known. Usage: node model.mjs
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = resolve(dirname(fileURLToPath(import.meta.url)), '../../web');
const MODULES = ['model/tree', 'model/selection', 'model/shape', 'model/compare', 'parts/flame_layout', 'parts/tree_rows', 'format', 'address'];

if (!existsSync(join(web, 'node_modules/esbuild'))) {
	console.log('the packages of web/package-lock.json are not installed: cd web && npm ci');
	process.exit(77);
}
const { build } = createRequire(join(web, 'package.json'))('esbuild');
const { outputFiles: [{ text }] } = await build({
	stdin: { contents: MODULES.map((name) => `export * from './${name}.ts';`).join('\n'), resolveDir: join(web, 'src') },
	bundle: true, format: 'esm', write: false, target: 'es2022',
});
const { CallTree, Selection, shapeTree, hiddenNodes, Comparison, FlameLayout, rangeOf, TreeRows, percent, shorten, time, count, rangesOf, numbersOf } =
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
	osByThread: () => [], identity: (func) => `f${func}`, ...more,
});

/** A tree to be shown: nodes as [parent, value, exclusive]. */
const framesOf = (nodes) => ({
	kind: 'merged', size: nodes.length, parent: (node) => nodes[node][0], func: (node) => (node ? node : -1), isFolded: () => false,
	value: (node, _, inclusive) => nodes[node][inclusive ? 1 : 2] ?? 0, label: (node) => `f${node}`,
	children: (node) => nodes.flatMap(([parent], i) => (parent === node ? [i] : [])).sort((a, b) => nodes[b][1] - nodes[a][1]),
	hasChildren: (node) => nodes.some(([parent]) => parent === node),
});

const tests = {
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

	'numbers for people'() {
		equal([percent(0.12345), percent(-0.05), percent(0), percent(NaN)], ['12.35', '−5.00', '0.00', '–'], 'percent');
		equal([count(1234567), count(-1000), count(999)], ['1,234,567', '−1,000', '999'], 'count');
		equal([time(999), time(1000), time(999999), time(1e6), time(9.999e9), time(1e10), time(-1500)],
			['999 ns', '1.000 µs', '999.999 µs', '1.000 ms', '9,999.000 ms', '10.000 s', '−1.500 µs'], 'time');
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
