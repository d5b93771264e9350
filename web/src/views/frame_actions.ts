// What can be done with a frame of the call tree or the flame graph, and with a function anywhere.
import { h } from '../dom.ts';
import { shorten } from '../format.ts';
import type { Frames } from '../model/frames.ts';
import { copyText } from '../parts/copy.ts';
import type { Action } from '../parts/menu.ts';
import type { State } from '../state.ts';
import type { Context } from './context.ts';

/** Functions from the outermost one to the node. */
function functionsTo(frames: Frames, node: number): number[] {
	const path: number[] = [];
	for (let at = node; at > 0 && frames.func(at) >= 0; at = frames.parent(at))
		path.push(frames.func(at));
	return frames.kind === 'callers' ? path : path.reverse();
}

/** The call path as a text, callers first. */
export const pathText = (frames: Frames, node: number): string =>
	functionsTo(frames, node).map((func) => frames.selection.profile.functionNames[func]!).join(' › ');

/** Actions of a function. */
export function functionActions(context: Context, func: number): Action[] {
	const { state } = context;
	const name = state.profile.functionNames[func]!;
	const short = shorten(name, 40);
	const root = (kind: string) => () => {
		state.choose('tree', kind);
		state.reshape({ root: { path: [func], anywhere: true } });
		if (!['calltree', 'flame'].includes(state.view))
			context.open('calltree');
	};
	return [
		{ title: `Set root: ${short}, wherever it is called`, key: 'r', run: root(state.choices['tree'] === 'callers' ? 'merged' : state.choices['tree'] ?? '') },
		{ title: 'Callers of it as a tree', run: () => { root('callers')(); context.open('calltree'); } },
		{ title: 'Callers and callees as flame graphs', run: () => sandwich(context, func) },
		{ title: 'Copy name', key: 'c', run: () => void copyText(name, 'Name') },
	];
}

export function frameActions(context: Context, frames: Frames, node: number): Action[] {
	const { state } = context;
	const func = frames.func(node);
	const actions: Action[] = [];
	const group = frames.group(node);
	if (group)
		actions.push({ title: `Only this ${group.process ? 'process' : 'thread'}`, run: () => state.filter({ threads: new Set(group.process ? threadsOf(state, group.id) : [group.id]) }) });
	if (func >= 0 && frames.kind !== 'callers' && !state.shape.root && !state.shape.foldRecursion)
		actions.push({ title: 'Set root: this call path', key: 'R', run: () => state.reshape({ root: { path: functionsTo(frames, node), anywhere: false } }) });
	if (func >= 0)
		actions.push(...functionActions(context, func),
			{ title: 'Copy call path', key: 'C', run: () => void copyText(pathText(frames, node), 'Call path') });
	if (state.shape.root)
		actions.push({ title: 'Root: all again', run: () => state.reshape({ root: null }) });
	return actions;
}

/** Its callers above it and its callees below it, as flame graphs. */
export function sandwich(context: Context, func: number): void {
	const { state } = context;
	state.set('selected', func);
	state.choose('zoom', '');
	state.choose('of', String(func));
	state.choose('flame', 'sandwich', 'step');
	context.open('flame');
}

export const threadsOf = (state: State, process: number): number[] =>
	state.profile.threads.map((_, id) => id).filter((id) => state.profile.threads[id]!.process === process);

/** A button that stays pressed while a part of the shape is on. */
export function shapeSwitch(state: State, key: 'myCode' | 'foldRecursion', title: string, hint: string): HTMLElement {
	const button = h('button.button.switch', { type: 'button', title: hint, 'aria-pressed': String(state.shape[key]), onclick: () => state.reshape({ [key]: !state.shape[key] }) }, title);
	state.onChange((change) => {
		if (change === 'shape' || change === 'filter')
			button.setAttribute('aria-pressed', String(state.shape[key]));
	});
	return button;
}

export const recursionSwitch = (state: State): HTMLElement =>
	shapeSwitch(state, 'foldRecursion', 'Fold recursion', 'A function that is on the path already takes the place of its ancestor');
