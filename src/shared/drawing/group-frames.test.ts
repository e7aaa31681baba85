import { describe, expect, it } from 'vitest';
import { frames } from './group-frames.ts';

const node = (id: string, x: number, y: number, group?: string): Parameters<typeof frames>[0][number] => ({
  id,
  position: { x, y },
  ...(group === undefined ? {} : { group }),
});

describe('frames', () => {
  it('surround each group, and do not exist without one', () => {
    const [frame, ...others] = frames([
      node('a', 0, 0, 'Site'),
      node('b', 300, 200, 'Site'),
      node('c', 900, 900),
      node('d', 0, 0, ''),
    ]);
    expect(others).toEqual([]);
    expect(frame).toEqual({ group: 'Site', x: -20, y: -32, width: 520, height: 352 });
  });
});
