// Light, dark, or as the system has it. The choice is kept where the browser lets pages keep things.
import { forgetTheme, isDark } from './palette.ts';

const KEY = 'tare-theme';

export function restoreTheme(): void {
	try {
		const kept = localStorage.getItem(KEY);
		if (kept === 'dark' || kept === 'light')
			document.documentElement.dataset['theme'] = kept;
	} catch {
		/* Storage is off: the system's choice holds. */
	}
}

export function toggleTheme(): void {
	const theme = isDark() ? 'light' : 'dark';
	document.documentElement.dataset['theme'] = theme;
	forgetTheme();
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		/* Then for this time only. */
	}
}
