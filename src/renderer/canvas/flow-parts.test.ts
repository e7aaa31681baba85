import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import { drawnParts, foundParts, linkLabel } from '../../shared/drawing/part-labels.ts';
import { insertLink, insertNode, newLink, newNode } from '../state/new-parts.ts';
import { applyEdit } from '../state/lab-edit.ts';
import { borderPoint } from './border-points.ts';
import { toCards, toEdges, type PartNames } from './flow-parts.ts';

const names: PartNames = {
  node: (node) => node.name,
  link: (_, a, b) => `${a}-${b}`,
  annotation: ({ text }) => text,
};

function drawn() {
  let lab = emptyLab('lab', 'Lab');
  for (let count = 0; count < 3; count += 1) {
    lab = applyEdit(lab, insertNode(lab, newNode(lab, 'gpu', { x: 0, y: 0 }, true))).lab;
  }
  lab = applyEdit(lab, insertLink(lab, newLink(lab, lab.nodes[0]!.id, lab.nodes[1]!.id))).lab;
  const cards = toCards(lab.nodes, [], [], names);
  return { lab, cards, edges: toEdges(lab.nodes, lab.links, [], [], names) };
}

describe('cards and edges', () => {
  it('keep their identity if their node, link and selection did not change', () => {
    const { lab, cards, edges } = drawn();
    const id = lab.nodes[1]!.id;
    const next = applyEdit(lab, { type: 'node', nodeId: id, change: { name: 'X' } }).lab;
    const again = toCards(next.nodes, [], cards, names);
    expect(again[0]).toBe(cards[0]);
    expect(again[1]).not.toBe(cards[1]);
    expect(again[2]).toBe(cards[2]);
    expect(again[1]?.ariaLabel).toBe('X');
    const chosen = toCards(next.nodes, [lab.nodes[0]!.id], again, names);
    expect(chosen[0]).toMatchObject({ selected: true, data: again[0]!.data });
    expect(chosen[2]).toBe(again[2]);
    const moved = applyEdit(lab, { type: 'experiment', change: { epochs: 9 } }).lab;
    expect(toEdges(moved.nodes, moved.links, [], edges, names)[0]).toBe(edges[0]);
    expect(toEdges(next.nodes, next.links, [], edges, names)[0]?.ariaLabel).toBe('N1-X');
  });

  it('keep React Flow’s measured sizes, and return when an edit is undone', () => {
    const { lab, cards } = drawn();
    const dragged = cards.map((card) => ({
      ...card,
      measured: { width: 180, height: 80 },
      position: { x: 7, y: 7 },
    }));
    const back = toCards(lab.nodes, [], dragged, names);
    expect(back[0]).toMatchObject({ position: lab.nodes[0]!.position, measured: { width: 180 } });
  });
});

describe('texts of cards and links', () => {
  it('is short and the same in every language', () => {
    const { lab } = drawn();
    expect(
      foundParts({
        cpus: 16,
        memoryBytes: 67.4e9,
        gpus: ['NVIDIA GeForce RTX 3080', 'NVIDIA A100-SXM4-40GB', 'NVIDIA GeForce RTX 3080'],
      }),
    ).toBe('2 × RTX 3080 · 1 × A100-SXM4-40GB · 16 CPU · 67 GB');
    expect(drawnParts(lab.nodes[0]!)).toBe('1 × RTX 3080 · 4 CPU · 8 GB');
    expect(drawnParts({ ...lab.nodes[0]!, kind: 'switch' })).toBeUndefined();
    const link = lab.links[0]!;
    expect(linkLabel(link)).toBe('10 Mbps');
    expect(linkLabel({ ...link, bandwidthMbps: 2500, delayMs: 20, lossPercent: 0.5 })).toBe(
      '2.5 Gbps · 20 ms · 0.5 %',
    );
    expect(linkLabel({ ...link, delayMs: 20, jitterMs: 5 })).toBe('10 Mbps · 20 ± 5 ms');
  });
});

it('a link ends where it meets the card’s border', () => {
  const box = { x: 0, y: 0, width: 180, height: 80 };
  expect(borderPoint(box, { x: 1000, y: 40 })).toEqual({ x: 180, y: 40 });
  expect(borderPoint(box, { x: 90, y: -500 })).toEqual({ x: 90, y: 0 });
  const { x, y } = borderPoint(box, { x: 1090, y: 540 });
  expect(y).toBe(80);
  expect(x).toBeCloseTo(170);
  expect(borderPoint(box, { x: 90, y: 40 })).toEqual({ x: 90, y: 40 });
});
