/** What a person does to the open lab in one gesture, wherever the gesture comes from. */
import type { NodeKind } from '../../shared/lab.ts';
import { editLab, emptySelection, select, useLabStore } from './lab.ts';
import {
  duplicateNodes,
  findLink,
  insertLink,
  insertNode,
  newLink,
  newNode,
  refuseLink,
  type LinkRefusal,
} from './new-parts.ts';
import { askBandwidth } from './view.ts';

/** Adds a node with its middle at `centre` and selects it. With `avoid` it does not cover another one. */
export function addNode(kind: NodeKind, centre: { x: number; y: number }, avoid = false): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const node = newNode(lab, kind, centre, avoid);
  editLab(insertNode(lab, node));
  select({ nodes: [node.id], links: [] });
}

/** The step of undo that a new link and its first bandwidth share. */
export const newLinkKey = (linkId: string): string => `new-link.${linkId}`;

/** Links two nodes and asks the bandwidth at once; or says why they cannot be linked. */
export function linkNodes(a: string, b: string): LinkRefusal | undefined {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return 'missing';
  const refusal = refuseLink(lab, a, b);
  if (refusal === undefined) {
    const link = newLink(lab, a, b);
    editLab(insertLink(lab, link), newLinkKey(link.id));
    // Selected once its bandwidth is answered: until then there is one 'Bandwidth' field, the one that asks.
    select(emptySelection);
    askBandwidth(link.id);
  } else if (refusal === 'duplicate') {
    const link = findLink(lab, a, b);
    if (link !== undefined) select({ nodes: [], links: [link.id] });
  }
  return refusal;
}

export function removeSelected(): void {
  const { selection } = useLabStore.getState();
  if (selection.nodes.length + selection.links.length > 0) {
    editLab({ type: 'remove', nodeIds: selection.nodes, linkIds: selection.links });
  }
}

/** Copies the selected nodes and the links among them, and selects the copies. */
export function duplicateSelected(): void {
  const { lab, selection } = useLabStore.getState();
  const copies = lab === undefined ? undefined : duplicateNodes(lab, selection.nodes);
  if (copies === undefined) return;
  editLab(copies.edit);
  select({ nodes: copies.nodeIds, links: [] });
}

export function selectAll(): void {
  const { lab } = useLabStore.getState();
  if (lab !== undefined) {
    select({ nodes: lab.nodes.map((node) => node.id), links: lab.links.map((link) => link.id) });
  }
}
