/** Drawings for tests: nodes n1, n2, … and links between their numbers. */
import { defaultPlacement, emptyLab, type LabDocument, type NodeKind } from './lab.ts';

/** A link as [one end, the other end, Mbps]. */
export type DrawnLink = readonly [number, number, number?];

/** @param kinds of the nodes in order; where it is short the rest are CPU nodes */
export function drawing(
  nodes: number,
  links: readonly DrawnLink[],
  kinds: readonly NodeKind[] = [],
): LabDocument {
  return {
    ...emptyLab('lab', 'Lab'),
    nodes: Array.from({ length: nodes }, (_, index) => ({
      id: `n${index + 1}`,
      name: `N${index + 1}`,
      kind: kinds[index] ?? 'cpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    })),
    links: links.map(([a, b, bandwidthMbps = 10], index) => ({
      id: `l${index + 1}`,
      ends: [`n${a}`, `n${b}`],
      bandwidthMbps,
      delayMs: 0,
      lossPercent: 0,
    })),
  };
}

export const chain = (nodes: number, mbps = 10): LabDocument =>
  drawing(
    nodes,
    Array.from({ length: nodes - 1 }, (_, index) => [index + 1, index + 2, mbps] as const),
  );
export const ring = (nodes: number, mbps = 10): LabDocument =>
  drawing(
    nodes,
    Array.from({ length: nodes }, (_, index) => [index + 1, ((index + 1) % nodes) + 1, mbps] as const),
  );
/** N1 is the centre and trains too. */
export const star = (nodes: number, mbps = 10): LabDocument =>
  drawing(
    nodes,
    Array.from({ length: nodes - 1 }, (_, index) => [1, index + 2, mbps] as const),
  );
