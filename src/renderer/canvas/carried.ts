/**
 * Cards of a large drawing that are being dragged. They and their links follow the pointer without React Flow, which is
 * notified at the drop: it notifies each of its 1,500 parts about every move, which takes longer than a frame.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';
import type { LabNode } from '../../shared/lab/lab.ts';
import { ofPart, type Positions, type Shift } from './positions.ts';

type Shifts = Readonly<Record<string, Shift>>;

/** Each layer costs the compositor memory and time: with more cards than this they are painted together. */
const maxLayers = 12;

const noShifts: Shifts = {};
const noIds: ReadonlySet<string> = new Set();
interface Carried {
  readonly shifts: Shifts;
  readonly ids: ReadonlySet<string>;
  /** Whether the links of the dragged cards are drawn one by one, not as a part of the zoomed-out picture. */
  readonly drawsLinks: boolean;
}
const useShifts = create<Carried>(() => ({ shifts: noShifts, ids: noIds, drawsLinks: true }));

/** How far the end of a link has moved from its card's position in the document; undefined if it is not dragged. */
export const useLinkShift = (nodeId: string): Shift | undefined =>
  useShifts((state) => (state.drawsLinks ? ofPart(state.shifts, nodeId) : undefined));
/** How far a part is dragged, whichever component draws its links; undefined if it is not. */
export const useShift = (flowId: string): Shift | undefined =>
  useShifts((state) => ofPart(state.shifts, flowId));
export const useAllShifts = (): Shifts => useShifts((state) => state.shifts);
/** The object stays the same from move to move. */
export const useCarriedIds = (): ReadonlySet<string> => useShifts((state) => state.ids);

/** Draws the cards at the pointer's position. */
export function carry(
  nodes: readonly Pick<LabNode, 'id' | 'position'>[],
  to: Positions,
  drawsLinks: boolean,
): void {
  const { shifts: before, ids } = useShifts.getState();
  const shifts: Record<string, Shift> = {};
  for (const { id, position } of nodes) {
    const at = ofPart(to, id);
    if (at === undefined) continue;
    const shift = { dx: at.x - position.x, dy: at.y - position.y };
    const old = ofPart(before, id);
    shifts[id] = old?.dx === shift.dx && old.dy === shift.dy ? old : shift;
  }
  const names = Object.keys(shifts);
  const isSame = names.length === ids.size && names.every((id) => ids.has(id));
  // Synchronously: otherwise the cards would be a frame ahead of their links.
  flushSync(() => useShifts.setState({ shifts, ids: isSame ? ids : new Set(names), drawsLinks }));
}

/** Lets React Flow position the cards again; false if none was dragged. */
export function putDown(): boolean {
  if (useShifts.getState().shifts === noShifts) return false;
  useShifts.setState({ shifts: noShifts, ids: noIds });
  return true;
}

/**
 * Escape gives up a drag: parts return to where the document has them. React Flow knows no such end: what it reports of the drag's
 * positions from then on, until the drop, is taken out of its changes.
 */
export function useGivingUp(dragging: RefObject<boolean>, onGivenUp: () => void) {
  const [times, setTimes] = useState(0);
  const isOver = useRef(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !dragging.current) return;
      // Else it would also take the selection away.
      event.preventDefault();
      event.stopPropagation();
      isOver.current = true;
      dragging.current = false;
      putDown();
      onGivenUp();
      setTimes((before) => before + 1);
    };
    // There is no drop where the dragged parts were deleted meanwhile.
    const onPointerDown = (event: PointerEvent): void => {
      if (event.isPrimary) isOver.current = false;
    };
    document.addEventListener('keydown', onKeyDown, true);
    document.addEventListener('pointerdown', onPointerDown, true);
    return () => {
      document.removeEventListener('keydown', onKeyDown, true);
      document.removeEventListener('pointerdown', onPointerDown, true);
    };
  }, [dragging, onGivenUp]);
  const valid = useCallback(
    <Change extends { type: string; dragging?: boolean | undefined }>(changes: Change[]): Change[] => {
      if (!isOver.current) return changes;
      const isDrop = changes.some(({ type, dragging: goesOn }) => type === 'position' && goesOn === false);
      if (isDrop) isOver.current = false;
      return changes.filter(({ type }) => type !== 'position');
    },
    [],
  );
  return {
    /** Changes when parts are to be drawn anew from the document. */
    times,
    valid,
  };
}

/** Moves a card's element on the canvas without rendering the card again. */
export function useCarried(nodeId: string, card: RefObject<HTMLElement | null>): void {
  useEffect(
    () =>
      useShifts.subscribe(({ shifts, ids, drawsLinks }, before) => {
        const shift = ofPart(shifts, nodeId);
        if (shift === ofPart(before.shifts, nodeId)) return;
        const place = card.current?.closest<HTMLElement>('.react-flow__node');
        if (place === null || place === undefined) return;
        place.toggleAttribute('data-carried', shift !== undefined);
        place.style.translate = shift === undefined ? '' : `${shift.dx}px ${shift.dy}px`;
        // Zoomed out, a layer of its own, so that what it passes over is not repainted. Zoomed in, its text would blur.
        const floats = shift !== undefined && !drawsLinks && ids.size <= maxLayers;
        place.style.willChange = floats ? 'translate' : '';
      }),
    [nodeId, card],
  );
}
