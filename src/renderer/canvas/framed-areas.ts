/**
 * Areas lie behind the nodes: a selection frame selects one only where it holds the whole area. Otherwise a frame around nodes
 * of an area would select the area, too.
 */
import { useStoreApi } from '@xyflow/react';
import { useEffect } from 'react';
import type { Annotation } from '../../shared/lab/annotation.ts';
import { select, useLabStore } from '../state/index.ts';
import type { FlowNode, LinkEdge } from './flow-parts.ts';

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The areas of the lab. */
export function areasOf(annotations: readonly Annotation[] = []): Annotation[] {
  return annotations.filter(({ kind }) => kind !== 'note');
}

/** @param frame in pixels of the drawing */
export function frameAreas(frame: Frame): void {
  const { lab, selection } = useLabStore.getState();
  const areas = areasOf(lab?.annotations);
  if (areas.length === 0) return;
  const before = selection.annotations ?? [];
  const ids = new Set(areas.map(({ id }) => id));
  const held = areas.filter(
    ({ position, size }) =>
      position.x >= frame.x &&
      position.y >= frame.y &&
      position.x + size.width <= frame.x + frame.width &&
      position.y + size.height <= frame.y + frame.height,
  );
  const annotations = [...before.filter((id) => !ids.has(id)), ...held.map(({ id }) => id)];
  if (annotations.join(' ') !== before.join(' ')) select({ ...selection, annotations });
}

/** React Flow has the frame's new size only after it has reported the nodes that changed. */
export function useFramedAreas(): void {
  const flowStore = useStoreApi<FlowNode, LinkEdge>();
  useEffect(
    () =>
      flowStore.subscribe(({ userSelectionRect: frame, userSelectionActive, transform }, before) => {
        if (frame === null || !userSelectionActive || frame === before.userSelectionRect) return;
        const [left, top, scale] = transform;
        frameAreas({
          x: (frame.x - left) / scale,
          y: (frame.y - top) / scale,
          width: frame.width / scale,
          height: frame.height / scale,
        });
      }),
    [flowStore],
  );
}
