/** Generates labs with many nodes and links, for performance tests. */
import { randomUUID } from 'node:crypto';
import { defaultPlacement, emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';

const across = 25;
/** `count` nodes in a grid, each linked to the next one and to the one below. */
export function gridLab(count: number): LabDocument {
  const name = (index: number): string => `n${index}`;
  const link = (a: number, b: number): LabDocument['links'][number] => ({
    id: `l${a}-${b}`,
    ends: [name(a), name(b)],
    bandwidthMbps: 100,
    delayMs: 0,
    lossPercent: 0,
  });
  const indexes = Array.from({ length: count }, (_, index) => index);
  return {
    ...emptyLab(randomUUID(), 'large lab'),
    nodes: indexes.map((index) => ({
      id: name(index),
      name: `N${index + 1}`,
      kind: index % 3 === 0 ? ('gpu' as const) : ('cpu' as const),
      position: { x: (index % across) * 300, y: Math.floor(index / across) * 200 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    })),
    // Rings in both directions: two links for each node.
    links: indexes.flatMap((index) => [
      link(index, (index + 1) % count),
      link(index, (index + across) % count),
    ]),
  };
}
