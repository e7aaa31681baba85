import { describe, expect, it } from 'vitest';
import { type LabNode } from '../../shared/lab.ts';
import { frames } from './group-frames.ts';

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

describe('frames', () => {
  it('go around each group, and there is none without one', () => {
    const [frame, ...others] = frames([
      node('a', 0, 0, { group: 'Site' }),
      node('b', 300, 200, { group: 'Site' }),
      node('c', 900, 900),
      node('d', 0, 0, { group: '' }),
    ]);
    expect(others).toEqual([]);
    expect(frame).toEqual({ group: 'Site', x: -20, y: -32, width: 520, height: 352 });
  });
});
