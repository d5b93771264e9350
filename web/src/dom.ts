// Making elements. Texts only ever become text nodes or attributes: no name of a program is HTML.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | EventListener>;

type TagOf<T extends string> = T extends `${infer K}.${string}` ? K : T;
type ElementOf<K extends string> = K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement;

/** `h('button.primary', { onclick }, 'Go')`. Properties that begin with "on" are listeners. */
export function h<T extends string>(tag: T, props: Props = {}, ...children: Child[]): ElementOf<TagOf<T>> {
	const [name, ...classes] = tag.split('.');
	const element = document.createElement(name!);
	element.className = classes.join(' ');
	if (!element.className)
		element.removeAttribute('class');
	for (const [key, value] of Object.entries(props)) {
		if (typeof value === 'function')
			element.addEventListener(key.slice(2), value);
		else if (value === true)
			element.setAttribute(key, '');
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, String(value));
	}
	append(element, children);
	return element as ElementOf<TagOf<T>>;
}

export function append(parent: Node, children: Child[]): void {
	for (const child of children)
		if (child)
			parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
}

export function replace(parent: Element, ...children: Child[]): void {
	parent.replaceChildren();
	append(parent, children);
}

let live: HTMLElement | null = null;

/** Says something to those who do not see the page. */
export function announce(text: string): void {
	live ??= document.body.appendChild(h('div.unseen', { role: 'status', 'aria-live': 'polite' }));
	live.textContent = text;
}

/** Calls at most once per frame. */
export function perFrame(action: () => void): () => void {
	let waiting = false;
	return () => {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			action();
		});
	};
}

let monoWidth = 0;

/** The width of a character in the font of names at 12 px. */
export function characterWidth(): number {
	if (!monoWidth) {
		const probe = h('span.name', { style: 'position:absolute;visibility:hidden' }, 'M'.repeat(50));
		document.body.append(probe);
		monoWidth = probe.getBoundingClientRect().width / 50;
		probe.remove();
	}
	return monoWidth || 7.2;
}
