/** The lab document as React Flow's nodes and edges; what did not change keeps its identity. */
import type { Edge, Node } from '@xyflow/react';
import type { LabDocument, LabLink, LabNode } from '../../shared/lab.ts';
import { cardSize } from '../state/index.ts';

export type CardNode = Node<{ readonly node: LabNode; readonly index: number }, 'card'>;
export type LinkEdge = Edge<{ readonly link: LabLink }, 'link'>;

/** Names the parts for screen readers, in the person's language. */
export interface PartNames {
  node(node: LabNode): string;
  link(link: LabLink, a: string, b: string): string;
}

/** Cards for the document's nodes; `before` gives measured sizes and identities back. */
export function toCards(
  nodes: LabDocument['nodes'],
  selectedIds: readonly string[],
  before: readonly CardNode[],
  names: PartNames,
): CardNode[] {
  const known = new Map(before.map((card) => [card.id, card]));
  const selected = new Set(selectedIds);
  let changed = before.length !== nodes.length;
  const cards = nodes.map((node, index) => {
    const old = known.get(node.id);
    const isSelected = selected.has(node.id);
    const ariaLabel = names.node(node);
    if (
      old !== undefined &&
      old.data.node === node &&
      old.data.index === index &&
      old.selected === isSelected &&
      old.ariaLabel === ariaLabel &&
      old.position.x === node.position.x &&
      old.position.y === node.position.y
    ) {
      if (before[index] !== old) changed = true;
      return old;
    }
    changed = true;
    return {
      ...old,
      id: node.id,
      type: 'card' as const,
      position: node.position,
      data: old?.data.node === node && old.data.index === index ? old.data : { node, index },
      selected: isSelected,
      ariaLabel,
      draggable: node.locked !== true,
      // Pulling at a locked card moves nothing at all, the ground neither.
      className: node.locked === true ? 'nopan' : '',
      initialWidth: cardSize.width,
      initialHeight: cardSize.height,
    };
  });
  return changed ? cards : [...before];
}

export function toEdges(
  nodes: LabDocument['nodes'],
  links: LabDocument['links'],
  selectedIds: readonly string[],
  before: readonly LinkEdge[],
  names: PartNames,
): LinkEdge[] {
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const selected = new Set(selectedIds);
  const nodeNames = new Map(nodes.map((node) => [node.id, node.name]));
  return links.map((link) => {
    const old = known.get(link.id);
    const isSelected = selected.has(link.id);
    const [a, b] = link.ends;
    const ariaLabel = names.link(link, nodeNames.get(a) ?? a, nodeNames.get(b) ?? b);
    if (old?.data?.link === link && old.selected === isSelected && old.ariaLabel === ariaLabel) return old;
    return {
      id: link.id,
      type: 'link' as const,
      source: a,
      target: b,
      data: { link },
      selected: isSelected,
      ariaLabel,
      interactionWidth: 16,
    };
  });
}
