/** Creates many local nodes for a bench, and labs of them. */
import { randomUUID } from 'node:crypto';
import type { Script } from '../src/shared/lab/script.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../src/shared/lab/lab.ts';

export const localNodes = (count: number): LabNode[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    name: `N${index}`,
    kind: 'cpu' as const,
    position: { x: index * 10, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' as const },
  }));

/** An own script in `folder` on so many local nodes, with the Python of this system. */
export function scriptLab(
  name: string,
  count: number,
  folder: string,
  started: Pick<Script, 'file' | 'arguments'> = { file: 'train.py', arguments: '' },
): LabDocument {
  const base = emptyLab(randomUUID(), name);
  return {
    ...base,
    nodes: localNodes(count),
    experiment: {
      ...base.experiment,
      runtime: { type: 'system' },
      script: { source: { type: 'folder', path: folder }, ...started },
    },
  };
}
