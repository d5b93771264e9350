// Texts to the clipboard. Pages from a disk may be kept from its interface: then by a selection.
import { announce, h } from '../dom.ts';

let shown = 0;

/** Says for a moment what was done, to those who see the page and those who do not. */
export function tell(text: string): void {
	document.querySelector('.toast')?.remove();
	const toast = h('div.toast', { 'aria-hidden': 'true' }, text);
	document.body.append(toast);
	announce(text);
	clearTimeout(shown);
	shown = window.setTimeout(() => toast.remove(), 2500);
}

function copyBySelection(text: string): boolean {
	const before = document.activeElement;
	const area = h('textarea', { 'aria-hidden': 'true', style: 'position:fixed;opacity:0' });
	area.value = text;
	document.body.append(area);
	area.select();
	const done = document.execCommand('copy');
	area.remove();
	if (before instanceof HTMLElement)
		before.focus({ preventScroll: true });
	return done;
}

export async function copyText(text: string, what: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		if (!copyBySelection(text)) {
			tell('The browser does not let the page copy.');
			return;
		}
	}
	tell(`${what} copied`);
}
