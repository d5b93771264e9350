'use strict';
const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const { spawnSync, fork } = require('child_process');
const { pipeline } = require('stream/promises');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const zlib = require('zlib');

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

if (!isMainThread) {
	const view = new Int32Array(workerData.shared);
	for (let i = 0; i < 1000; i++)
		Atomics.add(view, 0, 1);
	parentPort.postMessage(fib(workerData.n));
	return;
}
if (process.argv[2] === 'child') {
	process.on('message', (text) => { process.send(text.toUpperCase()); process.disconnect(); });
	return;
}

async function workers() {
	const shared = new SharedArrayBuffer(4);
	const results = await Promise.all([20, 21, 22, 23].map((n) => new Promise((resolve, reject) => {
		const worker = new Worker(__filename, { workerData: { n, shared } });
		worker.on('message', resolve);
		worker.on('error', reject);
	})));
	console.log(results.join(), new Int32Array(shared)[0]);
}

function language() {
	const numbers = Array.from({ length: 50000 }, (_, i) => (i * 7919) % 10007);
	numbers.sort((a, b) => a - b);
	console.log(numbers[25000], new Set(numbers).size, fib(27));
	console.log('the quick brown fox'.replace(/(?<first>\w)(\w*)/gu, (m, a, b) => a.toUpperCase() + b));
	console.log(/^(?:(a+)+)$/.test('a'.repeat(20)), 'ß'.localeCompare('ss', 'de'), '𝒳y'.length);
	console.log(0.1 + 0.2, 2n ** 100n, Math.sqrt(2), (1e21).toString(), parseInt('ff', 16), -7 % 3);
	const map = new Map(Object.entries({ a: 1, b: [2, { c: null }] }));
	console.log(JSON.stringify([...map]), structuredClone(map).size);
	class A { #x = 1; get x() { return this.#x; } static { A.made = true; } }
	console.log(new A().x, A.made, new Proxy({}, { get: (_, k) => `got ${String(k)}` }).thing);
	function* walk(tree) { if (tree) { yield* walk(tree.l); yield tree.v; yield* walk(tree.r); } }
	console.log([...walk({ v: 2, l: { v: 1 }, r: { v: 3 } })].join());
	for (const broken of [() => null.x, () => undefinedName, () => BigInt(1.5), () => JSON.parse('{'), () => { throw 1; }]) {
		try { broken(); } catch (error) { console.log(error.name ?? error); }
	}
	let depth = 0;
	(function dive() { depth++; try { dive(); } catch { /* the stack has ended */ } })();
	console.log(depth > 1000, new Intl.NumberFormat('de').format(1234567.891), new Date(0).toISOString());
	const buffer = Buffer.from('Hällo');
	console.log(buffer.toString('hex'), buffer.toString('base64'), buffer.readUInt16BE(1));
	let sum = 0;
	const typed = new Float64Array(100000).map((_, i) => Math.sin(i));
	for (let round = 0; round < 20; round++)
		for (let i = 0; i < typed.length; i++)
			sum += typed[i] * round;
	console.log(sum.toFixed(6));
}

async function libraries() {
	const text = 'some text that repeats itself '.repeat(5000);
	for (const [pack, unpack] of [['gzipSync', 'gunzipSync'], ['deflateRawSync', 'inflateRawSync'], ['brotliCompressSync', 'brotliDecompressSync']]) {
		const packed = zlib[pack](text);
		console.log(pack, packed.length, zlib[unpack](packed).toString() === text);
	}
	console.log(crypto.createHash('sha256').update(text).digest('hex'));
	console.log(crypto.createHmac('sha512', 'key').update(text).digest('base64').slice(0, 20));
	console.log(crypto.pbkdf2Sync('pass', 'salt', 1000, 16, 'sha1').toString('hex'));
	const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
	console.log(cipher.update(text, 'utf8', 'hex').length, cipher.final('hex'), cipher.getAuthTag().toString('hex'));
	const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
	console.log(crypto.verify('sha256', Buffer.from(text), publicKey, crypto.sign('sha256', Buffer.from(text), privateKey)));
	fs.writeFileSync('input', text);
	await pipeline(fs.createReadStream('input'), zlib.createGzip(), zlib.createGunzip(), fs.createWriteStream('output'));
	assert(fs.readFileSync('output', 'utf8') === text);
	const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
	const { instance } = await WebAssembly.instantiate(wasm);
	console.log(instance.exports.add(40, 2));
}

async function processes() {
	const done = spawnSync('sh', ['-c', 'cat; exit 3'], { input: 'through a pipe' });
	console.log(done.stdout.toString(), done.status);
	console.log(await new Promise((resolve) => {
		const child = fork(__filename, ['child']);
		child.on('message', resolve);
		child.send('message');
	}));
	const server = http.createServer((request, response) => {
		let body = '';
		request.on('data', (chunk) => { body += chunk; });
		request.on('end', () => response.end(`${request.method} ${request.url} ${body.length}`));
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${server.address().port}`;
	const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => new Promise((resolve) => {
		http.request(`${url}/${i}`, { method: 'POST' }, (response) => {
			let body = '';
			response.on('data', (chunk) => { body += chunk; });
			response.on('end', () => resolve(body));
		}).end('x'.repeat(i * 1000));
	})));
	console.log(replies.join('|'));
	server.close();
	server.closeAllConnections?.();
}

async function main() {
	language();
	await workers();
	await libraries();
	await processes();
	process.nextTick(() => console.log('tick'));
	Promise.reject(new Error('late')).catch((error) => console.log(error.message));
	setImmediate(() => console.log('immediate'));
	await new Promise((resolve) => setTimeout(resolve, 10));
}

main().then(() => console.log('end'));
