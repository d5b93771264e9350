// Bundles src/ into one file, dist/report.html. Usage: node build.mjs [OUT]. The same sources and
// package-lock.json give the same bytes.
import { build } from 'esbuild';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist/report.html');

const bundle = async (entry, options) => {
	const result = await build({
		entryPoints: [join(here, entry)], absWorkingDir: here, bundle: true, minify: true, write: false,
		charset: 'utf8', target: 'es2022', legalComments: 'none', ...options,
	});
	return result.outputFiles[0].text.trim();
};

const script = await bundle('src/main.ts', { format: 'iife' });

/** The dark colours hold where they were chosen, and where the system has them and light was not. */
const withSystemTheme = (style) => style.replace(/:root\[data-theme=dark\]{[^}]*}/, (rule) =>
	`${rule}@media (prefers-color-scheme:dark){${rule.replace('[data-theme=dark]', ':not([data-theme=light])')}}`);

const style = withSystemTheme(await bundle('src/style.css', {}));
if (!style.includes('prefers-color-scheme:dark'))
	throw new Error('the dark colours were not found in the style');
const template = await readFile(join(here, 'src/page.html'), 'utf8');
for (const text of [script, style])
	if (/<\/(script|style)|<!--/i.test(text))
		throw new Error('the bundle holds a tag that would end its element');
const page = template.replace('/*style*/', () => style).replace('/*script*/', () => script);
if (page.split('<!--tare-data-->').length !== 2)
	throw new Error('the page needs <!--tare-data--> exactly once');
await mkdir(dirname(out), { recursive: true });
await writeFile(out, page);
console.log(`${out}: ${Buffer.byteLength(page)} bytes`);
