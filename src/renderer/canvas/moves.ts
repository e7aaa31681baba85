/** Computes what a drag moves: groups as a whole, no locked parts, snapped to alignment guides. Pure functions. */
import type { LabNode } from '../../shared/lab/lab.ts';
import { cardSize, type Rectangle } from '../../shared/drawing/card-size.ts';
import { alignTo, type Guide } from './guides.ts';
import { ofPart, type Positions, type Shift } from './positions.ts';

/** Adds the other nodes of the moved nodes' groups, with the same offset. */
export function withGroups(nodes: readonly LabNode[], moved: Positions): Positions {
  const shift = new Map<string, { dx: number; dy: number }>();
  for (const { id, group, position } of nodes) {
    const to = ofPart(moved, id);
    if (group === undefined || group === '' || to === undefined || shift.has(group)) continue;
    shift.set(group, { dx: to.x - position.x, dy: to.y - position.y });
  }
  if (shift.size === 0) return moved;
  const all = { ...moved };
  for (const { id, group, position, locked } of nodes) {
    const by = group === undefined ? undefined : shift.get(group);
    if (by === undefined || ofPart(all, id) !== undefined || locked === true) continue;
    all[id] = { x: position.x + by.dx, y: position.y + by.dy };
  }
  return all;
}

export interface Lined {
  readonly positions: Positions;
  /** The offset by which all cards were snapped. */
  readonly shift: Shift;
  readonly guides: readonly Guide[];
}

const rectangle = ({ x, y }: LabNode['position']): Rectangle => ({ x, y, ...cardSize });

/** Snaps moved cards to those that stay, and returns the guides that apply. */
export function intoLine(nodes: readonly LabNode[], moved: Positions): Lined {
  const places = Object.values(moved);
  if (places.length === 0) return { positions: moved, shift: noShift, guides: [] };
  const left = Math.min(...places.map(({ x }) => x));
  const top = Math.min(...places.map(({ y }) => y));
  const around: Rectangle = {
    x: left,
    y: top,
    width: Math.max(...places.map(({ x }) => x)) + cardSize.width - left,
    height: Math.max(...places.map(({ y }) => y)) + cardSize.height - top,
  };
  const others = nodes
    .filter(({ id }) => ofPart(moved, id) === undefined)
    .map(({ position }) => rectangle(position));
  const { dx, dy, guides } = alignTo(around, others);
  return { guides, shift: { dx, dy }, positions: shifted(moved, { dx, dy }) };
}

export const noShift: Shift = { dx: 0, dy: 0 };

export const shifted = (positions: Positions, { dx, dy }: Shift): Positions =>
  dx === 0 && dy === 0
    ? positions
    : Object.fromEntries(Object.entries(positions).map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));
