/** For tests: labs of local nodes from a short description, and whether this machine supports namespaces. */
import {
  defaultPlacement,
  emptyLab,
  type LabDocument,
  type LabLink,
  type LabNode,
} from '../../../shared/lab/lab.ts';

/** `s…` are switches; `'a-b'` is a link of 10 Mbps, `'a-b@100'` one of 100. */
export function drawn(id: string, nodes: readonly string[], links: readonly string[]): LabDocument {
  return {
    ...emptyLab(id, id),
    nodes: nodes.map((name): LabNode => ({
      id: name,
      name: name.toUpperCase(),
      kind: name.startsWith('s') ? 'switch' : 'cpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' },
    })),
    links: links.map((text): LabLink => {
      const [ends = '', rate = '10'] = text.split('@');
      const [a = '', b = ''] = ends.split('-');
      return { id: `l-${a}-${b}`, ends: [a, b], bandwidthMbps: Number(rate), delayMs: 0, lossPercent: 0 };
    }),
  };
}

/** Why tests with namespaces are skipped here; undefined where they run. */
export const noNamespaces: string | undefined =
  process.platform !== 'linux'
    ? 'namespaces are of Linux'
    : process.getuid?.() === 0
      ? undefined
      : 'namespaces need root';
