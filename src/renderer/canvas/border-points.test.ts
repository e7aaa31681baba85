import { describe, expect, it } from 'vitest';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { cardGrid, coveredBy, labelPlace } from '../../shared/drawing/label-place.ts';
import { drawing } from '../../shared/lab/topology.fixture.ts';
import { layOut } from '../state/index.ts';
import { borderPoint, middle } from './border-points.ts';

describe('links between the borders of cards', () => {
  it.each(['star', 'ring'] as const)('have labels apart from one another in a %s of three', (kind) => {
    const lab = drawing(3, [
      [1, 2],
      [2, 3],
      [3, 1],
    ]);
    const edit = layOut(
      lab,
      lab.nodes.map(({ id }) => id),
      kind,
    );
    if (edit?.type !== 'move') throw new Error('nothing is laid out');
    const nodes = lab.nodes.map((node) => ({ ...node, position: edit.positions[node.id] ?? node.position }));
    const boxes = new Map(nodes.map(({ id, position }) => [id, { ...position, ...cardSize }]));
    const covered = coveredBy(cardGrid(nodes), {});
    const size = { width: 140, height: 18 };
    const labels = lab.links.map(({ ends }) => {
      const [from, to] = ends.map((id) => boxes.get(id));
      if (from === undefined || to === undefined) throw new Error('an end is missing');
      return labelPlace(borderPoint(from, middle(to)), borderPoint(to, middle(from)), size, covered);
    });
    // Two lines of traffic and of what is missing stand beside each label.
    for (const [index, one] of labels.entries())
      for (const other of labels.slice(index + 1))
        expect(
          Math.abs(one.x - other.x) >= size.width || Math.abs(one.y - other.y) >= 3 * size.height,
          JSON.stringify(labels),
        ).toBe(true);
  });
});
