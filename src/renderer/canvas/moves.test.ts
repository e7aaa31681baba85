import { describe, expect, it } from 'vitest';
import { emptyLab, type LabNode } from '../../shared/lab/lab.ts';
import { intoLine, withGroups } from './moves.ts';

const lab = emptyLab('lab', 'Lab');
const node = (id: string, x: number, y: number, more: Partial<LabNode> = {}): LabNode => ({
  id,
  name: id,
  kind: 'cpu',
  position: { x, y },
  placement: {
    region: 'local',
    pool: '',
    image: '',
    flavour: { name: '', gpuModel: '', gpuCount: 0 },
    cpus: 1,
    memoryGb: 1,
    diskGb: 1,
  },
  access: { type: 'local' },
  ...more,
});

describe('a drag', () => {
  it('moves the rest of the group, but no locked parts', () => {
    const nodes = [
      node('a', 0, 0, { group: 'Site' }),
      node('b', 300, 0, { group: 'Site' }),
      node('c', 600, 0, { group: 'Site', locked: true }),
      node('d', 900, 0),
    ];
    expect(withGroups(nodes, { a: { x: 40, y: 60 } })).toEqual({ a: { x: 40, y: 60 }, b: { x: 340, y: 60 } });
    expect(withGroups(nodes, { d: { x: 1, y: 2 } })).toEqual({ d: { x: 1, y: 2 } });
    expect(lab.nodes).toEqual([]);
  });

  it('moves nodes whose ids are names of an object’s properties as any other', () => {
    const nodes = [node('a', 0, 0, { group: 'Site' }), node('constructor', 300, 0, { group: 'Site' })];
    expect(withGroups(nodes, { a: { x: 40, y: 60 } })).toEqual({
      a: { x: 40, y: 60 },
      constructor: { x: 340, y: 60 },
    });
    const apart = [node('a', 0, 0), node('toString', 507, 333)];
    expect(intoLine(apart, { a: { x: 500, y: 100 } }).positions).toEqual({ a: { x: 507, y: 100 } });
  });

  it('snaps to a card that is off the grid, and shows the guide', () => {
    const nodes = [node('a', 0, 0), node('b', 507, 333)];
    const { positions, guides } = intoLine(nodes, { a: { x: 500, y: 100 } });
    expect(positions).toEqual({ a: { x: 507, y: 100 } });
    expect(guides.map(({ axis }) => axis)).toEqual(['x', 'x', 'x']);
    expect(guides[0]).toEqual({ axis: 'x', at: 507, from: 100, to: 433 });
  });

  it('shows no guide if no card is near', () => {
    const nodes = [node('a', 0, 0), node('b', 507, 333)];
    expect(intoLine(nodes, { a: { x: 40, y: 40 } })).toEqual({
      positions: { a: { x: 40, y: 40 } },
      shift: { dx: 0, dy: 0 },
      guides: [],
    });
  });
});
