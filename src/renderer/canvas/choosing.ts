/** Selection by the pointer and by React Flow's own keys. */
import type { EdgeChange, NodeChange } from '@xyflow/react';
import type { MouseEvent as MousePress } from 'react';
import {
  focusField,
  select,
  showChosen,
  showPage,
  useLabStore,
  writeOn,
  type Selection,
  annotationIdOf,
} from '../state/index.ts';
import { type FlowNode, type LinkEdge } from './flow-parts.ts';
import { areasOf } from './framed-areas.ts';

type Drawn = ReadonlyMap<string, { readonly selected?: boolean }>;

/**
 * React Flow reports what was selected and deselected; the store holds the result.
 * @param drawn the nodes as React Flow has drawn them, by id, while a selection frame is drawn
 */
export function changeSelection(
  part: 'nodes' | 'links',
  changes: readonly (NodeChange<FlowNode> | EdgeChange<LinkEdge>)[],
  drawn?: Drawn,
): void {
  const reported = new Map(
    changes.flatMap((change) => (change.type === 'select' ? [[change.id, change.selected] as const] : [])),
  );
  if (reported.size === 0) return;
  const { selection, lab } = useLabStore.getState();
  const ids = new Set(drawn === undefined ? selection[part] : []);
  // Of areas a frame selects others than React Flow does: `frameAreas`.
  const areas = new Set(drawn === undefined ? [] : areasOf(lab?.annotations).map(({ id }) => id));
  const annotations = new Set(
    (selection.annotations ?? []).filter((id) => drawn === undefined || areas.has(id)),
  );
  const groupOf = (id: string): string | undefined =>
    part === 'nodes' ? lab?.nodes.find((node) => node.id === id)?.group : undefined;
  const set = (flowId: string, isSelected: boolean): void => {
    const annotationId = annotationIdOf(flowId);
    if (annotationId !== undefined) {
      if (areas.has(annotationId)) return;
      if (isSelected) annotations.add(annotationId);
      else annotations.delete(annotationId);
      return;
    }
    const group = groupOf(flowId);
    // A group is selected as a whole; a double click selects one member of it.
    const nodeIds =
      group === undefined || group === ''
        ? [flowId]
        : (lab?.nodes ?? []).filter((node) => node.group === group).map((node) => node.id);
    for (const id of nodeIds) {
      if (isSelected) ids.add(id);
      else ids.delete(id);
    }
  };
  // A group of which one node is deselected and another one selected is selected.
  if (drawn === undefined) for (const [id, isSelected] of reported) if (!isSelected) set(id, false);
  for (const id of drawn === undefined ? reported.keys() : drawn.keys())
    if (reported.get(id) ?? drawn?.get(id)?.selected) set(id, true);
  select({ ...selection, [part]: [...ids], annotations: [...annotations] });
}

type Pressed = Pick<MousePress, 'shiftKey' | 'ctrlKey' | 'metaKey'>;

const only = (node: FlowNode): Selection =>
  node.type === 'annotation'
    ? { nodes: [], links: [], annotations: [node.data.annotation.id] }
    : { nodes: [node.id], links: [] };

/** A plain click on one of several selected parts selects it (with its group) alone; React Flow would keep all selected. */
export function chooseOne(event: Pressed, node: FlowNode): void {
  if (event.shiftKey || event.ctrlKey || event.metaKey) return;
  const group = node.type === 'card' ? (node.data.node.group ?? '') : '';
  const all = useLabStore.getState().lab?.nodes ?? [];
  if (group === '') select(only(node));
  else select({ nodes: all.filter((one) => one.group === group).map((one) => one.id), links: [] });
  showChosen();
}

/** A plain click on a link, which React Flow selects. */
export function chooseLink(event: Pressed): void {
  if (!event.shiftKey && !event.ctrlKey && !event.metaKey) showChosen();
}

/** A double click selects the one node, also in a group, and goes to its name; on a note it starts editing. */
export function openOne(_event: Pressed, node: FlowNode): void {
  select(only(node));
  if (node.type === 'annotation') writeOn(node.data.annotation.id);
  else {
    showPage('selection');
    focusField(`node.${node.id}.name`);
  }
}

/** The node under the pointer when a new link is released beside its handles. */
export function nodeUnder(event: MouseEvent | TouchEvent): string | undefined {
  const at = 'changedTouches' in event ? event.changedTouches[0] : event;
  if (at === undefined) return undefined;
  // An area may lie around the node, or a note in front of it.
  const hit = document
    .elementsFromPoint(at.clientX, at.clientY)
    .find((element) => element.closest('.react-flow__node:not(.annotation)') !== null)
    ?.closest('.react-flow__node');
  return hit instanceof HTMLElement ? hit.dataset.id : undefined;
}
