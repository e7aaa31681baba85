import { describe, expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { align, distribute, layOut, layouts } from './arrange.ts';
import { applyEdit } from './lab-edit.ts';
import { insertLink, insertNode, newLink, newNode } from './new-parts.ts';

/** Nodes at unordered positions, linked as given by index. */
function labOf(count: number, links: readonly (readonly [number, number])[]): LabDocument {
  let lab = emptyLab('lab', 'Lab');
  for (let at = 0; at < count; at += 1) {
    const place = { x: (at * 7919) % 900, y: (at * 104729) % 700 };
    lab = applyEdit(lab, insertNode(lab, newNode(lab, 'gpu', place, false))).lab;
  }
  for (const [a, b] of links) {
    lab = applyEdit(lab, insertLink(lab, newLink(lab, lab.nodes[a]!.id, lab.nodes[b]!.id))).lab;
  }
  return lab;
}
const all = (lab: LabDocument): string[] => lab.nodes.map((node) => node.id);
function done(lab: LabDocument, edit: ReturnType<typeof layOut>): LabDocument {
  expect(edit).toBeDefined();
  return applyEdit(lab, edit!).lab;
}

describe('layouts', () => {
  it.each(layouts)('%s covers no card with another, and is undone as one step', (kind) => {
    const lab = labOf(
      13,
      Array.from({ length: 12 }, (_, at) => [at, at + 1] as const),
    );
    const edit = layOut(lab, all(lab), kind);
    const { inverse } = applyEdit(lab, edit!);
    const laid = done(lab, edit);
    for (const [index, a] of laid.nodes.entries()) {
      for (const b of laid.nodes.slice(index + 1)) {
        const apart =
          Math.abs(a.position.x - b.position.x) >= cardSize.width ||
          Math.abs(a.position.y - b.position.y) >= cardSize.height;
        expect(apart, `${a.name} and ${b.name}`).toBe(true);
      }
    }
    expect(applyEdit(laid, inverse).lab.nodes).toEqual(lab.nodes);
  });

  it('a chain follows the links, whatever the order of the nodes', () => {
    const lab = labOf(4, [
      [2, 0],
      [0, 3],
      [3, 1],
    ]);
    const laid = done(lab, layOut(lab, all(lab), 'chain'));
    const across = laid.nodes.toSorted((a, b) => a.position.x - b.position.x).map((node) => node.name);
    expect([
      ['N3', 'N1', 'N4', 'N2'],
      ['N2', 'N4', 'N1', 'N3'],
    ]).toContainEqual(across);
    expect(new Set(laid.nodes.map((node) => node.position.y)).size).toBe(1);
  });

  it('a star has the node of most links in its middle', () => {
    const lab = labOf(
      6,
      [1, 2, 4, 5].map((other) => [3, other] as const),
    );
    const laid = done(lab, layOut(lab, all(lab), 'star'));
    const hub = laid.nodes[3]!.position;
    const far = laid.nodes
      .filter((node) => node.name !== 'N4')
      .map(({ position }) => Math.hypot(position.x - hub.x, position.y - hub.y));
    expect(Math.min(...far)).toBeGreaterThan(150);
  });

  it('a star of three that are all linked has no link behind the node in its middle', () => {
    const lab = labOf(3, [
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    const laid = done(lab, layOut(lab, all(lab), 'star'));
    const [hub, one, other] = laid.nodes.map(({ position }) => position);
    const area = (one!.x - hub!.x) * (other!.y - hub!.y) - (one!.y - hub!.y) * (other!.x - hub!.x);
    expect(Math.abs(area)).toBeGreaterThan(cardSize.width * cardSize.height);
  });

  it('layers place nodes linked to a root below it', () => {
    const lab = labOf(5, [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 4],
    ]);
    const [root, a, , b] = done(lab, layOut(lab, all(lab), 'layered')).nodes.map(
      ({ position }) => position.y,
    );
    expect(root).toBeLessThan(a!);
    expect(a).toBeLessThan(b!);
  });

  it.each(layouts)('%s covers neither a locked node nor one that is not selected', (kind) => {
    const free = labOf(9, [[0, 1]]);
    const still = (index: number, x: number): LabDocument['nodes'][number] => {
      const node = free.nodes[index]!;
      return { ...node, position: { x, y: 320 }, ...(index === 7 ? { locked: true } : {}) };
    };
    const lab = { ...free, nodes: [...free.nodes.slice(0, 7), still(7, 410), still(8, 700)] };
    const laid = done(lab, layOut(lab, all(lab).slice(0, 8), kind));
    for (const { position } of laid.nodes.slice(7))
      for (const node of laid.nodes.slice(0, 7))
        expect(
          Math.abs(node.position.x - position.x) >= cardSize.width ||
            Math.abs(node.position.y - position.y) >= cardSize.height,
        ).toBe(true);
  });

  describe('in layers of large labs', () => {
    const large = (count: number, ends: readonly (readonly [number, number])[]): LabDocument => {
      const [node] = labOf(1, []).nodes;
      const link = { bandwidthMbps: 10, delayMs: 0, lossPercent: 0 };
      return {
        ...emptyLab('lab', 'Lab'),
        nodes: Array.from({ length: count }, (_, at) => ({ ...node!, id: `n${at}`, name: `N${at}` })),
        links: ends.map(([a, b], at) => ({ ...link, id: `l${at}`, ends: [`n${a}`, `n${b}`] })),
      };
    };

    it('place the nodes of a long chain, and of a circle, below one another', () => {
      const chain = Array.from({ length: 1999 }, (_, at) => [at, at + 1] as const);
      const lab = large(2000, chain);
      const rows = done(lab, layOut(lab, all(lab), 'layered')).nodes.map(({ position }) => position.y);
      expect(rows).toEqual(rows.toSorted((a, b) => a - b));
      expect(new Set(rows).size).toBe(2000);
      const circle = large(2000, [...chain, [1999, 0]]);
      const circular = done(circle, layOut(circle, all(circle), 'layered')).nodes;
      expect(new Set(circular.map(({ position }) => position.y)).size).toBe(1001);
    });

    it('place the leaves of a dense fabric below its spines, and no card on another', () => {
      const spines = 16;
      const lab = large(
        216,
        Array.from({ length: spines * 200 }, (_, at) => [at % spines, spines + Math.floor(at / spines)]),
      );
      const laid = done(lab, layOut(lab, all(lab), 'layered')).nodes.map(({ position }) => position);
      const lowest = Math.max(...laid.slice(0, spines).map(({ y }) => y));
      for (const { y } of laid.slice(spines)) expect(y).toBeGreaterThanOrEqual(lowest + cardSize.height);
      expect(new Set(laid.map(({ x, y }) => `${x} ${y}`)).size).toBe(216);
      expect(Math.max(...laid.map(({ x }) => x)) - Math.min(...laid.map(({ x }) => x))).toBeLessThan(9000);
    });
  });

  it('leave locked and unselected nodes in place', () => {
    const lab = labOf(5, []);
    const locked = applyEdit(lab, { type: 'node', nodeId: lab.nodes[1]!.id, change: { locked: true } }).lab;
    const laid = done(locked, layOut(locked, all(locked).slice(0, 4), 'grid'));
    expect(laid.nodes[1]!.position).toEqual(lab.nodes[1]!.position);
    expect(laid.nodes[4]!.position).toEqual(lab.nodes[4]!.position);
  });
});

describe('aligning', () => {
  it('moves the others to a locked node, which stays', () => {
    const free = labOf(3, []);
    const [first, locked] = free.nodes;
    const lab = applyEdit(free, { type: 'node', nodeId: locked!.id, change: { locked: true } }).lab;
    for (const alignment of ['top', 'middle', 'bottom'] as const) {
      const { nodes } = done(lab, align(lab, all(lab), alignment));
      expect(nodes.map(({ position }) => position.y)).toEqual(lab.nodes.map(() => locked!.position.y));
    }
    expect(align(lab, [locked!.id], 'left')).toBeUndefined();
    expect(done(lab, align(lab, [first!.id, locked!.id], 'left')).nodes[0]!.position).toEqual({
      x: locked!.position.x,
      y: first!.position.y,
    });
  });

  it('moves nodes to the outermost edge, or to equal spacing', () => {
    const lab = labOf(4, []);
    const left = Math.min(...lab.nodes.map((node) => node.position.x));
    expect(done(lab, align(lab, all(lab), 'left')).nodes.map((node) => node.position.x)).toEqual([
      left,
      left,
      left,
      left,
    ]);
    const spread = done(lab, distribute(lab, all(lab), 'y'))
      .nodes.map((node) => node.position.y)
      .toSorted((a, b) => a - b);
    const gaps = spread.slice(1).map((y, index) => y - spread[index]!);
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    expect(distribute(lab, all(lab).slice(0, 2), 'x')).toBeUndefined();
    expect(align(lab, all(lab).slice(0, 1), 'top')).toBeUndefined();
  });
});
