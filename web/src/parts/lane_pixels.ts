// Lanes as pixels: each column of a lane is divided among the states, as their shares of its time are.
// Filling pixels takes as long for a million of states as for ten.
import { STATE_COUNT } from '../model/states.ts';

export interface LaneArea { left: number; top: number; width: number; height: number }

/** Colours as `rgb(…)` or `#rrggbb` → the word of a pixel. */
export function pixelOf(context: CanvasRenderingContext2D, color: string): number {
	context.fillStyle = '#000';
	context.fillStyle = color;
	const hex = /^#([\da-f]{6})$/.exec(context.fillStyle);
	const value = hex ? parseInt(hex[1]!, 16) : 0;
	return ((255 << 24) | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/** From the bottom up: who ran first, then waits, the idle ones last. */
const ORDER = [0, 3, 4, 2, 1, 5];

export class LanePixels {
	private image: ImageData | null = null;
	private words = new Uint32Array(0);
	private wide = 0;

	/** Begins a picture of that size; all of it is clear. */
	begin(context: CanvasRenderingContext2D, width: number, height: number): void {
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			this.image = context.createImageData(width, height);
			this.words = new Uint32Array(this.image.data.buffer);
			this.wide = width;
		} else {
			this.words.fill(0);
		}
	}

	/** A line from there down to the bottom. */
	line(x: number, top: number, color: number): void {
		if (x >= 0 && x < this.wide)
			this.column(x, this.image!.height, top, color);
	}

	/** `above`: rows of pixels that are not lanes'. `shares`: STATE_COUNT numbers a column; `whole`: what fills a column. */
	lane(area: LaneArea, above: number, shares: Float32Array, whole: number, colors: Uint32Array): void {
		const top = Math.max(above, area.top);
		for (let x = 0; x < area.width; x++) {
			let sum = 0;
			let y = area.top + area.height;
			for (const state of ORDER) {
				const share = shares[x * STATE_COUNT + state]!;
				if (!(share > 0))
					continue;
				sum += share;
				const until = area.top + area.height - Math.min(area.height, Math.round((sum / whole) * area.height));
				y = this.column(area.left + x, y, Math.max(until, top), colors[state]!);
			}
		}
	}

	/** Fills upwards from `y` and returns where it ends. */
	private column(x: number, y: number, until: number, color: number): number {
		const bottom = Math.min(y, this.image!.height);
		for (let row = bottom - 1; row >= until; row--)
			this.words[row * this.wide + x] = color;
		return Math.min(y, until);
	}

	put(context: CanvasRenderingContext2D): void {
		if (this.image)
			context.putImageData(this.image, 0, 0);
	}
}
