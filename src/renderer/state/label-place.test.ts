import { describe, expect, it } from 'vitest';
import { drawing } from '../../shared/lab/topology.fixture.ts';
import { layOut, layouts } from './arrange.ts';
import { applyEdit } from './lab-edit.ts';
import { cardSize, type Rectangle } from '../../shared/drawing/card-size.ts';
import { cardGrid, coveredBy, labelPlace, type Point } from '../../shared/drawing/label-place.ts';

const middle = (box: Rectangle): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
const size = { width: 110, height: 18 };
const pairs = (count: number, ring: boolean): [number, number][] => [
  ...Array.from({ length: count - 1 }, (_, at): [number, number] => [at + 1, at + 2]),
  ...(ring ? [[count, 1] as [number, number]] : []),
];
const star = (count: number): [number, number][] =>
  Array.from({ length: count - 1 }, (_, at): [number, number] => [1, at + 2]);

describe('the label of a link', () => {
  it('stays in the middle of its line where nothing is', () => {
    const place = labelPlace({ x: 0, y: 0 }, { x: 400, y: 100 }, size, () => false);
    expect(place).toEqual({ x: 200, y: 50 });
  });

  it('moves along its line past a card in the middle, and beside the line where cards cover all of it', () => {
    const card: Rectangle = { x: 260, y: -50, width: 180, height: 100 };
    const hits =
      (...cards: Rectangle[]) =>
      (box: Rectangle): boolean =>
        cards.some(
          (one) =>
            box.x < one.x + one.width &&
            one.x < box.x + box.width &&
            box.y < one.y + one.height &&
            one.y < box.y + box.height,
        );
    const along = labelPlace({ x: 0, y: 0 }, { x: 700, y: 0 }, size, hits(card));
    expect(along.y).toBe(0);
    expect(along.x + size.width / 2).toBeLessThan(card.x);
    const wall: Rectangle = { x: -100, y: -50, width: 900, height: 100 };
    const beside = labelPlace({ x: 0, y: 0 }, { x: 700, y: 0 }, size, hits(wall));
    expect(beside.y + size.height / 2).toBeLessThan(wall.y);
  });

  it.each(layouts)('is under no card after the layout ‘%s’', (kind) => {
    for (const [count, links] of [
      [3, pairs(3, true)],
      [5, pairs(5, true)],
      [8, pairs(8, true)],
      [6, star(6)],
    ] as const) {
      const drawn = drawing(count, links);
      const edit = layOut(
        drawn,
        drawn.nodes.map(({ id }) => id),
        kind,
      );
      if (edit === undefined) throw new Error('nothing is laid out');
      const { lab } = applyEdit(drawn, edit);
      const boxes = new Map(lab.nodes.map(({ id, position }) => [id, { ...position, ...cardSize }]));
      const covered = coveredBy(cardGrid(lab.nodes), {});
      for (const { ends } of lab.links) {
        const [a, b] = ends.map((id) => boxes.get(id));
        if (a === undefined || b === undefined) throw new Error('an end is missing');
        const { x, y } = labelPlace(middle(a), middle(b), size, covered);
        const label = { x: x - size.width / 2, y: y - size.height / 2, ...size };
        expect([kind, count, ends, covered(label)]).toEqual([kind, count, ends, false]);
      }
    }
  });

  it('minds where a card is dragged to, not where the document has it', () => {
    const lab = drawing(2, []);
    const [first] = lab.nodes;
    if (first === undefined) throw new Error('no node');
    const here = { ...first.position, ...cardSize };
    expect(coveredBy(cardGrid(lab.nodes), {})(here)).toBe(true);
    const away = { ...here, x: here.x + 5000 };
    expect(coveredBy(cardGrid(lab.nodes), { [first.id]: away })(away)).toBe(true);
    expect(coveredBy(cardGrid([first]), { [first.id]: away })(here)).toBe(false);
  });

  it('looks at the cards anew only where one has moved', () => {
    const lab = drawing(3, []);
    const grid = cardGrid(lab.nodes);
    const renamed = lab.nodes.map((node) => ({ ...node, name: 'other' }));
    expect(cardGrid(renamed)).toBe(grid);
    const moved = lab.nodes.map((node) => ({ ...node, position: { x: 900, y: 0 } }));
    expect(cardGrid(moved)).not.toBe(grid);
  });
});
