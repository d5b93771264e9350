// A menu of actions for what the pointer or the keyboard is at.
import { h } from '../dom.ts';

export interface Action { title: string; key?: string; run: () => void }

/** Opens at a place of the window; the focus goes back to where it was. */
export function openMenu(label: string, place: { x: number; y: number }, actions: Action[]): void {
	document.querySelector('.context-menu')?.remove();
	const before = document.activeElement;
	const close = () => {
		if (!menu.isConnected)
			return;
		menu.remove();
		removeEventListener('pointerdown', outside, true);
		if (before instanceof HTMLElement)
			before.focus({ preventScroll: true });
	};
	const outside = (event: Event) => {
		if (!menu.contains(event.target as Node))
			close();
	};
	const items = actions.map((action) => h('button.menu-item', { type: 'button', role: 'menuitem', tabindex: -1, onclick: () => { close(); action.run(); } },
		h('span', {}, action.title), action.key ? h('kbd', { 'aria-hidden': 'true' }, action.key) : null));
	const menu = h('div.context-menu', {
		role: 'menu', 'aria-label': label,
		onkeydown: (event) => {
			const { key } = event as KeyboardEvent;
			const at = items.indexOf(document.activeElement as HTMLButtonElement);
			const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
			if (to[key] !== undefined)
				items[to[key]! % items.length]!.focus();
			else if (key === 'Escape' || key === 'Tab')
				close();
			else if (key !== 'Enter' && key !== ' ')
				return;
			if (key !== 'Enter' && key !== ' ')
				event.preventDefault();
			event.stopPropagation();
		},
	}, ...items);
	(document.getElementById('main') ?? document.body).append(menu);
	menu.style.left = `${Math.max(4, Math.min(place.x, innerWidth - menu.offsetWidth - 8))}px`;
	menu.style.top = `${Math.max(4, Math.min(place.y, innerHeight - menu.offsetHeight - 8))}px`;
	addEventListener('pointerdown', outside, true);
	items[0]?.focus();
}
