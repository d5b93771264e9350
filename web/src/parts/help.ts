// The list of keys.
import { h } from '../dom.ts';

const KEYS: [string, string][] = [
	['1 … 9', 'go to a view'],
	['/', 'search; Escape clears it, a second Escape leaves it'],
	['e', 'Elapsed or Application, or the next quantity'],
	['i', 'inclusive or exclusive'],
	['h', 'hot path in the call tree'],
	['f', 'filter threads and modules'],
	['p', 'go to the selected function'],
	['Alt+← Alt+→', 'back and forward, as the browser has it'],
	['y', 'my code: hide functions of system modules; their time goes to the caller that is yours'],
	['r', 'the selected function as root of call tree and flame graph; all again'],
	['c C', 'copy the name of the selected function, the call path of the row or frame'],
	['m', 'menu of the row or frame'],
	['t', 'light or dark'],
	['↑ ↓ Page Home End', 'in tables: go through rows'],
	['→ ←', 'in the call tree: open and close'],
	['↑ ↓ ← → Enter', 'in the flame graph: go from frame to frame, zoom'],
	['Backspace Escape', 'in the flame graph and the timeline: zoom out, show all'],
	['↑ ↓ ← →', 'in the timeline: from lane to lane, from state to state; Shift+← → chooses the time'],
	['+ − Home End Enter', 'in the timeline: zoom, begin and end; fold lanes, or zoom to the state'],
	['n p', 'in the timeline: the next mark, the one before'],
	['Enter', 'in source and instructions: to the other side'],
	['j', 'in instructions: follow the jump or call'],
	['?', 'this list'],
];

export function openHelp(): void {
	const dialog = h('dialog.dialog.help', { 'aria-label': 'Keys' }, h('form', { method: 'dialog' },
		h('h2', {}, 'Keys'),
		h('table', {}, h('tbody', {}, ...KEYS.map(([keys, what]) => h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, keys)), h('td', {}, what))))),
		h('p.muted', {}, 'Elapsed is all time; Application is what is left without the intervals in which the operating system was at work. Inclusive counts the functions called, exclusive the function alone.'),
		h('p.muted', {}, 'A search is a part of a name, or /a regular expression/.'),
		h('div.actions', {}, h('button.button.primary', { value: 'close' }, 'Close'))));
	dialog.addEventListener('close', () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}
