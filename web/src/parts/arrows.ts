// The gutter of a row of instructions: its part of the arrows of jumps, as SVG. What leads in and what
// leads out have heights of their own, so that a row may have both.
import type { Arrow, Lanes, Part } from '../model/lanes.ts';

const NS = 'http://www.w3.org/2000/svg';
const LANE = 8; /* pixels */
const TIP = 13; /* of the arrowhead, and of the line to it from the innermost lane */

/** `chosen`: the row of the jump that is marked; -1: none. */
export interface Gutter { lanes: Lanes; chosen: number; rowHeight: number }

/** One more than there are, where an arrow that has none may be marked. */
const lanesOf = (lanes: Lanes): number => lanes.count + (lanes.leftOut ? 1 : 0);

export const gutterWidth = (lanes: Lanes): number => lanesOf(lanes) * LANE + TIP + 14;

function shape(kind: 'path' | 'polygon', className: string, key: string, value: string): SVGElement {
	const element = document.createElementNS(NS, kind);
	element.setAttribute('class', className);
	element.setAttribute(key, value);
	return element;
}

interface Geometry { width: number; spare: number; inY: number; outY: number; height: number }

function geometryOf(gutter: Gutter): Geometry {
	const { rowHeight } = gutter;
	return { width: lanesOf(gutter.lanes) * LANE + TIP, spare: gutter.lanes.count, inY: Math.round(rowHeight * 0.38) + 0.5, outY: Math.round(rowHeight * 0.68) + 0.5, height: rowHeight };
}

const laneX = (arrow: Arrow, { width, spare }: Geometry): number => width - TIP - (arrow.lane < 0 ? spare : arrow.lane) * LANE - LANE / 2 + 0.5;

/** From one height of the row to another, then what leads to the code. */
function lines(part: Part, place: Geometry): string {
	const { arrow } = part;
	const x = laneX(arrow, place);
	const ends: number[] = [];
	let path = '';
	if (part.begins) {
		path += `M${x} ${place.outY}H${place.width - 2}`;
		ends.push(place.outY);
	}
	if (part.ends) {
		path += `M${x} ${place.inY}H${place.width - 4}`;
		ends.push(place.inY);
	}
	const top = part.above ? 0 : Math.min(...ends);
	const bottom = part.below ? place.height : Math.max(...ends);
	return `${path}M${x} ${top}V${bottom}`;
}

/** Of a jump whose arrow has no lane: where it leads, up or down. */
function stub(arrow: Arrow, place: Geometry): string {
	const x = place.width - TIP;
	return `M${x} ${arrow.back ? 2 : place.height - 2}V${place.outY}H${place.width - 2}M${x - 3} ${arrow.back ? 5.5 : place.height - 5.5}L${x} ${arrow.back ? 2 : place.height - 2}L${x + 3} ${arrow.back ? 5.5 : place.height - 5.5}`;
}

/** The part of one jump of an arrow that several may share; empty where it is not in the row. */
function chosenLines(row: number, arrow: Arrow, from: number, place: Geometry): string {
	const low = Math.min(from, arrow.to);
	const high = Math.max(from, arrow.to);
	if (row < low || row > high)
		return '';
	return lines({ arrow, above: row > low, below: row < high, begins: row === from, ends: row === arrow.to }, place);
}

export function gutterCell(gutter: Gutter, row: number): SVGElement {
	const place = geometryOf(gutter);
	const svg = document.createElementNS(NS, 'svg');
	svg.setAttribute('width', String(place.width));
	svg.setAttribute('height', String(place.height));
	svg.setAttribute('aria-hidden', 'true');
	const parts = gutter.lanes.at(row);
	const chosen = gutter.chosen >= 0 ? gutter.lanes.of(gutter.chosen) : null;
	let tip: string | null = null;
	const drawn: SVGElement[] = [];
	for (const part of [...parts].reverse()) {
		const kind = part.arrow.back ? 'jump back' : 'jump';
		drawn.push(shape('path', kind, 'd', lines(part, place)));
		if (part.ends)
			tip = tip === 'chosen' || part.arrow === chosen ? 'chosen' : part.arrow.back ? 'back' : tip ?? '';
	}
	const own = gutter.lanes.of(row);
	if (own && own.lane < 0)
		drawn.push(shape('path', own.back ? 'jump back' : 'jump', 'd', stub(own, place)));
	const path = chosen ? chosenLines(row, chosen, gutter.chosen, place) : '';
	if (path && chosen!.lane < 0 && row === chosen!.to)
		tip = 'chosen';
	if (path)
		drawn.push(shape('path', `jump chosen${chosen!.back ? ' back' : ''}`, 'd', path));
	if (tip !== null)
		drawn.push(shape('polygon', `jump-tip ${tip}`, 'points', `${place.width},${place.inY} ${place.width - 6},${place.inY - 3.5} ${place.width - 6},${place.inY + 3.5}`));
	svg.append(...drawn);
	return svg;
}
