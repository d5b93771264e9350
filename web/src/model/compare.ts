// What differs between two profiles: functions are matched by file and address, else by module and
// name; call paths by the functions that they consist of.
import type { Frames } from './frames.ts';
import type { Profile } from './profile.ts';

export class Comparison {
	/** By function: the same one in the base, -1 where it is new. */
	readonly inBase: Int32Array;
	/** Functions of the base that are no more. */
	readonly vanished: number[] = [];

	constructor(readonly profile: Profile, readonly base: Profile) {
		this.inBase = new Int32Array(profile.functionCount).fill(-1);
		const matched = new Set<number>();
		const match = (keyOf: (of: Profile, func: number) => string) => {
			const known = new Map<string, number>();
			for (let i = 0; i < base.functionCount; i++)
				known.set(keyOf(base, i), i);
			for (let i = 0; i < profile.functionCount; i++) {
				const key = keyOf(profile, i);
				const other = key && this.inBase[i]! < 0 ? known.get(key) : undefined;
				if (other === undefined || matched.has(other))
					continue;
				this.inBase[i] = other;
				matched.add(other);
			}
		};
		match((of, func) => of.place(func));
		match((of, func) => of.identity(func));
		for (let i = 0; i < base.functionCount; i++)
			if (!matched.has(i))
				this.vanished.push(i);
	}

	/** A value of the base; ticks of its clock as ticks of the profile's. */
	scaled(value: number, quantity: number): number {
		return this.profile.header.quantities[quantity]!.unit === 'ticks' ?
			(value * this.profile.header.ticks_per_second) / this.base.header.ticks_per_second : value;
	}

	/** By node of the profile's merged tree: the node of the base's on the same path, or -1. */
	matchPaths(frames: Frames, base: Frames): Int32Array {
		const match = new Int32Array(frames.size).fill(-1);
		const stack: [number, number][] = [[0, 0]];
		match[0] = 0;
		while (stack.length) {
			const [node, other] = stack.pop()!;
			const byFunction = new Map<number, number>();
			for (const child of Array.from(base.children(other, 0)))
				if (!base.isFolded(child))
					byFunction.set(base.func(child), child);
			for (const child of Array.from(frames.children(node, 0))) {
				const found = frames.isFolded(child) ? undefined : byFunction.get(this.inBase[frames.func(child)]!);
				if (found === undefined)
					continue;
				match[child] = found;
				stack.push([child, found]);
			}
		}
		return match;
	}
}
