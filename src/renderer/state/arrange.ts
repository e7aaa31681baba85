/** Layouts and alignments: computes the positions of nodes from a lab. Pure functions. */
import { Graph, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';
import type { LabDocument, LabLink, LabNode } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { clearOffset } from '../../shared/drawing/clear-offset.ts';
import type { LabEdit } from './lab-edit.ts';
import { gridStep, snap } from './new-parts.ts';

export const layouts = ['chain', 'ring', 'star', 'grid', 'layered'] as const;
export type Layout = (typeof layouts)[number];
export const alignments = ['left', 'centre', 'right', 'top', 'middle', 'bottom'] as const;
export type Alignment = (typeof alignments)[number];

type Position = LabNode['position'];
type Spots = Map<string, Position>;

/** Between two cards' corners: room for a link and its label. */
const across = cardSize.width + 5 * gridStep;
const down = cardSize.height + 4 * gridStep;

const movable = (lab: LabDocument, nodeIds: readonly string[]): LabNode[] => {
  const ids = new Set(nodeIds);
  return lab.nodes.filter((node) => ids.has(node.id) && node.locked !== true);
};

/** The neighbours of each of these nodes among them, in the links' order. */
function neighboursOf(links: readonly LabLink[], nodes: readonly LabNode[]): Map<string, string[]> {
  const found = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
  for (const {
    ends: [a, b],
  } of links) {
    if (!found.has(a) || !found.has(b)) continue;
    found.get(a)?.push(b);
    found.get(b)?.push(a);
  }
  return found;
}

/** An order that follows the links, starting at an end of a chain if there is one. */
function walk(lab: LabDocument, nodes: readonly LabNode[]): string[] {
  const neighbours = neighboursOf(lab.links, nodes);
  const degree = (id: string): number => neighbours.get(id)?.length ?? 0;
  const starts = nodes
    .map((node) => node.id)
    .toSorted((a, b) => Number(degree(b) === 1) - Number(degree(a) === 1));
  const seen = new Set<string>();
  for (const start of starts) {
    // A stack instead of recursion: a chain may have thousands of nodes.
    const stack = [start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      stack.push(...(neighbours.get(id) ?? []).filter((next) => !seen.has(next)).toReversed());
    }
  }
  return [...seen];
}

/** @param places on the circle; those after the last node stay empty */
function circle(ids: readonly string[], min: number, places = ids.length): Spots {
  const radius = Math.max(min, (places * across) / (2 * Math.PI));
  return new Map(
    ids.map((id, index) => {
      const angle = (2 * Math.PI * index) / places - Math.PI / 2;
      return [id, { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius * 0.8 }];
    }),
  );
}

const rows = (ids: readonly string[], columns: number): Spots =>
  new Map(
    ids.map((id, index) => [id, { x: (index % columns) * across, y: Math.floor(index / columns) * down }]),
  );

/**
 * Nodes times links above which dagre is not used. Just below it takes about a second; it needs more than ten for 216 nodes with
 * 3200 links, and more stack than there is for a chain of 2000.
 */
const maxDagre = 20_000;

function layered(lab: LabDocument, nodes: readonly LabNode[]): Spots {
  const ids = new Set(nodes.map(({ id }) => id));
  const links = lab.links.filter(({ ends: [a, b] }) => ids.has(a) && ids.has(b));
  if (nodes.length * links.length > maxDagre) return breadthFirst(nodes, links);
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ rankdir: 'TB', nodesep: 4 * gridStep, ranksep: 5 * gridStep });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { ...cardSize });
  for (const {
    ends: [a, b],
  } of links)
    graph.setEdge(a, b);
  layout(graph);
  return new Map(
    nodes.map(({ id, position }) => {
      const { x = position.x, y = position.y } = graph.node(id);
      return [id, { x, y }];
    }),
  );
}

/** Layers by the number of links from the nodes that no link leads to, in time that grows with nodes and links. */
function breadthFirst(nodes: readonly LabNode[], links: readonly LabLink[]): Spots {
  const neighbours = neighboursOf(links, nodes);
  const led = new Set(links.map(({ ends: [, to] }) => to));
  const seen = new Set<string>();
  const layers: string[][] = [];
  const spread = (from: readonly string[]): void => {
    let layer = from.filter((id) => !seen.has(id));
    for (let depth = 0; layer.length > 0; depth += 1) {
      const reached: string[] = [];
      for (const id of layer) seen.add(id);
      for (const id of layer)
        for (const next of neighbours.get(id) ?? []) {
          if (seen.has(next)) continue;
          seen.add(next);
          reached.push(next);
        }
      layers[depth] = [...(layers[depth] ?? []), ...layer];
      layer = reached;
    }
  };
  spread(nodes.flatMap(({ id }) => (led.has(id) ? [] : [id])));
  // Where links lead in a circle any node of it is as good.
  for (const { id } of nodes) spread([id]);
  // A layer that is much wider than the drawing is high would make all of it tiny.
  const most = Math.max(20, 2 * Math.ceil(Math.sqrt(nodes.length)));
  const all = layers.flatMap((layer) =>
    Array.from({ length: Math.ceil(layer.length / most) }, (_, row) =>
      layer.slice(row * most, (row + 1) * most),
    ),
  );
  return new Map(
    all.flatMap((row, y) =>
      row.map((id, x) => [id, { x: (x - (row.length - 1) / 2) * across, y: y * down }]),
    ),
  );
}

function spotsOf(lab: LabDocument, nodes: readonly LabNode[], kind: Layout): Spots {
  switch (kind) {
    case 'chain':
      return rows(walk(lab, nodes), nodes.length);
    case 'ring':
      return circle(walk(lab, nodes), 1.2 * cardSize.width);
    case 'star': {
      const neighbours = neighboursOf(lab.links, nodes);
      const [hub, ...others] = nodes
        .map((node) => node.id)
        .toSorted((a, b) => (neighbours.get(b)?.length ?? 0) - (neighbours.get(a)?.length ?? 0));
      // Two would lie opposite each other, and a link between them behind the node in the middle. Nearer, labels of two
      // links lie on one another.
      const spots = circle(others, 2 * cardSize.width, Math.max(3, others.length));
      if (hub !== undefined) spots.set(hub, { x: 0, y: 0 });
      return spots;
    }
    case 'grid':
      return rows(walk(lab, nodes), Math.ceil(Math.sqrt(nodes.length)));
    case 'layered':
      return layered(lab, nodes);
  }
}

const middleOf = (positions: readonly Position[]): Position => {
  const xs = positions.map(({ x }) => x);
  const ys = positions.map(({ y }) => y);
  return {
    x: (Math.min(...xs) + Math.max(...xs)) / 2,
    y: (Math.min(...ys) + Math.max(...ys)) / 2,
  };
};

/**
 * Lays nodes out around their current centre, or as near to it as they cover none that stays: locked ones and others. Undefined for
 * fewer than two.
 */
export function layOut(lab: LabDocument, nodeIds: readonly string[], kind: Layout): LabEdit | undefined {
  const nodes = movable(lab, nodeIds);
  if (nodes.length < 2) return undefined;
  const spots = spotsOf(lab, nodes, kind);
  const from = middleOf([...spots.values()]);
  const to = middleOf(nodes.map(({ position }) => position));
  const laid = [...spots].map(
    ([id, { x, y }]) => [id, snap({ x: x - from.x + to.x, y: y - from.y + to.y })] as const,
  );
  const staying = lab.nodes.filter(({ id }) => !spots.has(id)).map(({ position }) => position);
  const by = clearOffset(
    laid.map(([, position]) => position),
    staying,
    gridStep,
  );
  return {
    type: 'move',
    positions: Object.fromEntries(laid.map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }])),
  };
}

/** Aligns nodes to the outermost one, or to the middle of all: of the locked ones, if there are some. Cards have one size. */
export function align(
  lab: LabDocument,
  nodeIds: readonly string[],
  alignment: Alignment,
): LabEdit | undefined {
  const nodes = movable(lab, nodeIds);
  const ids = new Set(nodeIds);
  const locked = lab.nodes.filter(({ id, locked: isLocked }) => isLocked === true && ids.has(id));
  if (nodes.length === 0 || nodes.length + locked.length < 2) return undefined;
  const places = (locked.length > 0 ? locked : nodes).map(({ position }) => position);
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  // Between locked ones there may be no grid point: one of them alone is where it is.
  const middle = locked.length === 1 ? middleOf(places) : snap(middleOf(places));
  const line: Partial<Position> = {
    left: { x: Math.min(...xs) },
    centre: { x: middle.x },
    right: { x: Math.max(...xs) },
    top: { y: Math.min(...ys) },
    middle: { y: middle.y },
    bottom: { y: Math.max(...ys) },
  }[alignment];
  return {
    type: 'move',
    positions: Object.fromEntries(nodes.map(({ id, position }) => [id, { ...position, ...line }])),
  };
}

/** Distributes nodes with equal gaps between the two outermost. Undefined for fewer than three. */
export function distribute(
  lab: LabDocument,
  nodeIds: readonly string[],
  axis: 'x' | 'y',
): LabEdit | undefined {
  const nodes = movable(lab, nodeIds).toSorted((a, b) => a.position[axis] - b.position[axis]);
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (nodes.length < 3 || first === undefined || last === undefined) return undefined;
  const step = (last.position[axis] - first.position[axis]) / (nodes.length - 1);
  return {
    type: 'move',
    positions: Object.fromEntries(
      nodes.map(({ id, position }, index) => [
        id,
        { ...position, [axis]: Math.round(first.position[axis] + step * index) },
      ]),
    ),
  };
}
