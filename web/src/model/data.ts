// Reads what src/report/html/html_pack.c wrote: base64 of a zlib stream of a JSON object and columns of
// whole numbers in LEB128. docs/development/page.md describes it.

export interface QuantityInfo {
	name: string;
	title: string;
	/** "ticks" of the clock, "ns", or "": a number of something. */
	unit: string;
	total: number;
	/* the columns of the tables */
	inclusive: string;
	exclusive: string;
	inclusive_percent: string;
	exclusive_percent: string;
}
export interface ColumnInfo { name: string; group: string; title: string; type: ColumnType; each: number }
export interface TableInfo { name: string; rows: number; columns: ColumnInfo[]; notes?: string[] }
/** Of which functions source and instructions are in the page. */
export interface CodeInfo {
	embedded: 'no' | 'hot' | 'all';
	functions: number; /* that have values by line */
	functions_embedded: number;
	amount: number; /* of these values */
	amount_embedded: number;
	most_functions: number; /* 0: no limit */
	most_instructions: number;
}
export type ColumnType = 'text' | 'count' | 'signed' | 'time' | 'percent' | 'signed_percent' | 'address';

export interface Header {
	format: string;
	version: number;
	profile: string;
	command_line: string;
	host: string;
	method: string;
	tare_version: string;
	refusals: string;
	begin_unix_ms: number;
	ticks_per_second: number;
	duration_ticks: number;
	complete: number;
	header: [string, string][];
	/** The header of JSON reports. */
	facts: Record<string, unknown>;
	quantities: QuantityInfo[];
	/** The quantity that is shown first. */
	ranking: number;
	causes: string[];
	/** What people call them, by name. */
	cause_titles: Record<string, string>;
	tables: TableInfo[];
	code: CodeInfo;
	/** Spans of threads shorter than that may be joined; 0: all are as recorded. */
	states_joined_ticks?: number;
	/** Calls that are too short, or too deep, to be among those over time; and how short that is. */
	calls_left_out?: number;
	calls_shortest_ticks?: number;
	/** ns of samples that stand at a caller in the tree of work and waits, as that would be too large. */
	waits_cut_ns?: number;
	/** ns of waits whose stacks, and those of who ended them, have no room in the page. */
	wakers_left_out_ns?: number;
	columns: [string, number, number][];
	strings: string[];
}

const VERSION = 1;

/** A profile's data as they are in the page. Columns are decoded when they are asked for. */
export class Data {
	readonly header: Header;
	private readonly places = new Map<string, { count: number; offset: number }>();
	private readonly bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const size = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
		this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size))) as Header;
		this.bytes = bytes;
		let offset = 8 + size;
		for (const [name, count, length] of this.header.columns) {
			this.places.set(name, { count, offset });
			offset += length;
		}
		if (this.header.format !== 'tare-html' || this.header.version !== VERSION)
			throw new Error('the data of this page are not of the version that the page knows');
		if (offset !== bytes.length)
			throw new Error('the data of this page are damaged');
	}

	/** How many numbers a column has; 0 where there is none. */
	countOf(name: string): number {
		return this.places.get(name)?.count ?? 0;
	}

	/** The numbers of a column; none where there is no such column. */
	numbers(name: string): Float64Array {
		const place = this.places.get(name);
		const out = new Float64Array(place ? place.count : 0);
		const bytes = this.bytes;
		let at = place ? place.offset : 0;
		for (let i = 0; i < out.length; i++) {
			let byte = bytes[at++]!;
			let value = byte & 0x7f;
			let unit = 1;
			while (byte & 0x80) {
				byte = bytes[at++]!;
				unit *= 128;
				value += (byte & 0x7f) * unit;
			}
			out[i] = value;
		}
		return out;
	}

	/** The same where they are known to be small: numbers of nodes, functions, texts. */
	indexes(name: string): Int32Array {
		const place = this.places.get(name);
		const out = new Int32Array(place ? place.count : 0);
		const bytes = this.bytes;
		let at = place ? place.offset : 0;
		for (let i = 0; i < out.length; i++) {
			let byte = bytes[at++]!;
			let value = byte & 0x7f;
			for (let shift = 7; byte & 0x80; shift += 7) {
				byte = bytes[at++]!;
				value |= (byte & 0x7f) << shift;
			}
			out[i] = value;
		}
		return out;
	}

	signed(name: string): Float64Array {
		return this.numbers(name).map((value) => (value % 2 ? -(value + 1) / 2 : value / 2));
	}

	/** Texts by their number in the table, which counts from 1. */
	text(number: number): string {
		return number ? this.header.strings[number - 1]! : '';
	}
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
	const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> })
		.fromBase64;
	if (native)
		return native(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser is too old for the page: it has no DecompressionStream');
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The data in the element with that id; null where there is none. Frees the element's text. */
export async function readData(id: string): Promise<Data | null> {
	const element = document.getElementById(id);
	if (!element)
		return null;
	const text = element.textContent ?? '';
	element.remove();
	return new Data(await inflate(decodeBase64(text)));
}
