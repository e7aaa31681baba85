/** Sorts React Flow's node changes by what they mean for the document. */
import type { NodeChange } from '@xyflow/react';
import { type AnnotationNode, type CardNode, type FlowNode } from './flow-parts.ts';
import { annotationIdOf, flowIdOf } from '../state/index.ts';
import type { Positions } from './positions.ts';

type Change = NodeChange<FlowNode>;

export interface Sorted {
  readonly measured: readonly Change[];
  /** New positions of nodes and of annotations, by id. */
  readonly nodePositions: Positions;
  readonly notePositions: Positions;
  readonly isDragging: boolean;
  /** Whether a corner of an annotation is being dragged. */
  readonly isResizing: boolean;
}

export function sorted(changes: readonly Change[]): Sorted {
  const nodePositions: Positions = {};
  const notePositions: Positions = {};
  const measured: Change[] = [];
  let isDragging = false;
  let isResizing = false;
  for (const change of changes) {
    if (change.type === 'dimensions') {
      measured.push(change);
      isResizing ||= change.resizing === true;
    }
    if (change.type !== 'position' || change.position === undefined) continue;
    const annotationId = annotationIdOf(change.id);
    if (annotationId === undefined) nodePositions[change.id] = change.position;
    else notePositions[annotationId] = change.position;
    isDragging ||= change.dragging === true;
  }
  return { measured, nodePositions, notePositions, isDragging, isResizing };
}

export const byFlowId = (notes: Positions): Positions =>
  Object.fromEntries(Object.entries(notes).map(([id, position]) => [flowIdOf(id), position]));

export const movesTo = (positions: Positions, dragging: boolean): Change[] =>
  Object.entries(positions).map(([id, position]) => ({ id, type: 'position', dragging, position }));

/** The changes for one kind of nodes. Changes of the other kind have ids that its list lacks, and have no effect. */
export const changesOf = <Kind extends CardNode | AnnotationNode>(
  changes: readonly Change[],
): NodeChange<Kind>[] =>
  // Only changes that add a node depend on its kind; those are never made here.
  changes.filter(
    (change): change is Extract<Change, NodeChange<Kind>> =>
      change.type !== 'add' && change.type !== 'replace',
  );
