// Colours that stand for modules, for shares of time, and for differences.
import type { Profile } from '../model/profile.ts';

const HUES = [172, 28, 262, 205, 340, 48, 118, 232, 8, 300];

let dark: boolean | null = null;

export function isDark(): boolean {
	const { theme } = document.documentElement.dataset;
	dark ??= theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
	return dark;
}

/** To be called when the theme may have changed: what is known of it is asked for at every frame. */
export function forgetTheme(): void {
	dark = null;
}

const hsl = (hue: number, saturation: number, lightness: number): string => `hsl(${hue} ${saturation}% ${lightness}%)`;

/** The same module has the same colour in all views; system modules are grey. */
export class Palette {
	private readonly hues = new Map<number, number | null>();
	private readonly known = new Map<number, string>();

	constructor(profile: Profile) {
		let next = 0;
		profile.moduleNames.forEach((_, module) =>
			this.hues.set(module, profile.moduleSystem[module] ? null : HUES[next++ % HUES.length]!));
	}

	/** `variant` tells neighbours of one module apart. */
	module(module: number, variant = 0): string {
		const key = (module * 5 + (variant % 5)) * 2 + (isDark() ? 1 : 0);
		let colour = this.known.get(key);
		if (!colour) {
			colour = this.mix(module, variant);
			this.known.set(key, colour);
		}
		return colour;
	}

	private mix(module: number, variant: number): string {
		const hue = this.hues.get(module);
		const step = (variant % 5) * (isDark() ? 2 : 2.2);
		if (hue === null || hue === undefined)
			return isDark() ? hsl(215, 8, 34 + step) : hsl(215, 12, 80 + step);
		return isDark() ? hsl(hue, 36, 29 + step) : hsl(hue, 52, 74 + step);
	}

	/** A strong colour for marks beside a module's name. */
	dot(module: number): string {
		const hue = this.hues.get(module);
		if (hue === null || hue === undefined)
			return isDark() ? hsl(215, 8, 50) : hsl(215, 10, 62);
		return isDark() ? hsl(hue, 48, 52) : hsl(hue, 52, 48);
	}

	/** Of time in which threads waited; idle waits stand apart. */
	static wait(idle: boolean): string {
		if (idle)
			return isDark() ? hsl(232, 18, 30) : hsl(232, 34, 89);
		return isDark() ? hsl(2, 44, 36) : hsl(2, 72, 82);
	}

	/** Of who ended a wait. */
	static readonly waker = (): string => (isDark() ? hsl(205, 40, 32) : hsl(205, 62, 82));

	static readonly above = (): string => (isDark() ? hsl(215, 12, 26) : hsl(215, 20, 90));

	/** From 0 (cold) to 1. */
	static heat(share: number): string {
		const warm = Math.sqrt(Math.max(0, Math.min(1, share)));
		return isDark() ? hsl(28 - 18 * warm, 18 + 52 * warm, 27 + 12 * warm) : hsl(40 - 26 * warm, 40 + 50 * warm, 88 - 24 * warm);
	}

	/** From -1 (less time than before) to 1 (more). */
	static difference(amount: number): string {
		const strong = Math.sqrt(Math.min(1, Math.abs(amount)));
		if (strong < 0.02)
			return isDark() ? hsl(215, 8, 30) : hsl(215, 14, 88);
		const hue = amount > 0 ? 12 : 212;
		return isDark() ? hsl(hue, 24 + 42 * strong, 30 + 8 * strong) : hsl(hue, 40 + 45 * strong, 88 - 22 * strong);
	}
}
