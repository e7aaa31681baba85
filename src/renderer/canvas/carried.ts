/**
 * Cards of a large drawing that are being dragged. They and their links follow the pointer by themselves, and React Flow is
 * reported at the drop: it asks each of its 1,500 parts about every move of one, which takes longer than a frame.
 */
import { useEffect, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';
import type { LabNode } from '../../shared/lab/lab.ts';
import type { Positions, Shift } from './positions.ts';

type Shifts = Readonly<Record<string, Shift>>;

/** Each layer costs the compositor something: many cards are painted together instead. */
const maxLayers = 12;

const nothing: Shifts = {};
const noIds: ReadonlySet<string> = new Set();
interface Carried {
  readonly shifts: Shifts;
  readonly ids: ReadonlySet<string>;
  /** Whether the links of the carried cards are drawn one by one, not as a part of the picture from far away. */
  readonly drawsLinks: boolean;
}
const useShifts = create<Carried>(() => ({ shifts: nothing, ids: noIds, drawsLinks: true }));

/** How far the end of a link is from where the document has its card; undefined where that is not carried. */
export const useLinkShift = (nodeId: string): Shift | undefined =>
  useShifts((state) => (state.drawsLinks ? state.shifts[nodeId] : undefined));
/** How far a part is carried, whoever draws its links; undefined where it is not. */
export const useShift = (flowId: string): Shift | undefined => useShifts((state) => state.shifts[flowId]);
export const useAllShifts = (): Shifts => useShifts((state) => state.shifts);
/** Keeps its identity from move to move. */
export const useCarriedIds = (): ReadonlySet<string> => useShifts((state) => state.ids);

/** Shows the cards where the pointer has them. */
export function carry(
  nodes: readonly Pick<LabNode, 'id' | 'position'>[],
  to: Positions,
  drawsLinks: boolean,
): void {
  const { shifts: before, ids } = useShifts.getState();
  const shifts: Record<string, Shift> = {};
  for (const { id, position } of nodes) {
    const at = to[id];
    if (at === undefined) continue;
    const shift = { dx: at.x - position.x, dy: at.y - position.y };
    const old = before[id];
    shifts[id] = old?.dx === shift.dx && old.dy === shift.dy ? old : shift;
  }
  const names = Object.keys(shifts);
  const isSame = names.length === ids.size && names.every((id) => ids.has(id));
  // At once: the cards would be a frame before their links.
  flushSync(() => useShifts.setState({ shifts, ids: isSame ? ids : new Set(names), drawsLinks }));
}

/** Leaves the cards to React Flow again; false where none was carried. */
export function putDown(): boolean {
  if (useShifts.getState().shifts === nothing) return false;
  useShifts.setState({ shifts: nothing, ids: noIds });
  return true;
}

/** Moves a card's place on the canvas, without drawing the card again. */
export function useCarried(nodeId: string, card: RefObject<HTMLElement | null>): void {
  useEffect(
    () =>
      useShifts.subscribe(({ shifts, ids, drawsLinks }, before) => {
        const shift = shifts[nodeId];
        if (shift === before.shifts[nodeId]) return;
        const place = card.current?.closest<HTMLElement>('.react-flow__node');
        if (place === null || place === undefined) return;
        place.toggleAttribute('data-carried', shift !== undefined);
        place.style.translate = shift === undefined ? '' : `${shift.dx}px ${shift.dy}px`;
        // From far away a layer of its own: what it passes over is not painted again. From near by its words would blur.
        const floats = shift !== undefined && !drawsLinks && ids.size <= maxLayers;
        place.style.willChange = floats ? 'translate' : '';
      }),
    [nodeId, card],
  );
}
