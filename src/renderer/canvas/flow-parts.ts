/** Converts the lab document to React Flow's nodes and edges; unchanged parts keep their identity. */
import type { Edge, Node } from '@xyflow/react';
import type { Annotation } from '../../shared/lab/annotation.ts';
import type { LabDocument, LabLink, LabNode } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { flowIdOf } from '../state/index.ts';

export type CardNode = Node<{ readonly node: LabNode; readonly index: number }, 'card'>;
export type AnnotationNode = Node<{ readonly annotation: Annotation }, 'annotation'>;
export type FlowNode = CardNode | AnnotationNode;
export type LinkEdge = Edge<{ readonly link: LabLink }, 'link'>;

/** The parts' names for screen readers, in the user's language. */
export interface PartNames {
  node(node: LabNode): string;
  link(link: LabLink, a: string, b: string): string;
  annotation(annotation: Annotation): string;
}

/** React Flow nodes for the document's nodes. `before` holds the previous ones, whose sizes and identities are reused. */
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
      // Dragging a locked card moves nothing, not even the canvas.
      className: node.locked === true ? 'nopan' : '',
      initialWidth: cardSize.width,
      initialHeight: cardSize.height,
    };
  });
  return changed ? cards : [...before];
}

/** React Flow adds 1000 to the z-index of what is selected: an area must stay below links and cards then too. */
const areaLevel = -1001;

export function toAnnotations(
  annotations: readonly Annotation[],
  selectedIds: readonly string[],
  before: readonly AnnotationNode[],
  names: PartNames,
): AnnotationNode[] {
  const known = new Map(before.map((node) => [node.data.annotation.id, node]));
  const selected = new Set(selectedIds);
  const nodes = annotations.map((annotation): AnnotationNode => {
    const old = known.get(annotation.id);
    const isSelected = selected.has(annotation.id);
    const ariaLabel = names.annotation(annotation);
    const isSame = old?.data.annotation === annotation && old.selected === isSelected;
    if (isSame && old.ariaLabel === ariaLabel && isAt(old, annotation)) return old;
    return {
      ...old,
      id: flowIdOf(annotation.id),
      type: 'annotation',
      position: annotation.position,
      ...annotation.size,
      data: { annotation },
      selected: isSelected,
      ariaLabel,
      draggable: annotation.locked !== true,
      className: 'annotation',
      zIndex: annotation.kind === 'note' ? 0 : areaLevel,
    };
  });
  return nodes.length === before.length && nodes.every((node, index) => node === before[index])
    ? [...before]
    : nodes;
}

const isAt = ({ position, width, height }: AnnotationNode, annotation: Annotation): boolean =>
  position.x === annotation.position.x &&
  position.y === annotation.position.y &&
  width === annotation.size.width &&
  height === annotation.size.height;

export function toEdges(
  nodes: LabDocument['nodes'],
  links: LabDocument['links'],
  selectedIds: readonly string[],
  before: LinkEdge[],
  names: PartNames,
): LinkEdge[] {
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const selected = new Set(selectedIds);
  const nodeNames = new Map(nodes.map((node) => [node.id, node.name]));
  const edges = links.map((link) => {
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
  // Each of the thousand parts that React Flow renders searches a new list.
  return edges.length === before.length && edges.every((edge, index) => edge === before[index])
    ? before
    : edges;
}
