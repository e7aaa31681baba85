/** Creates many local nodes for a bench. */
import { defaultPlacement, type LabNode } from '../src/shared/lab/lab.ts';

export const localNodes = (count: number): LabNode[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    name: `N${index}`,
    kind: 'cpu' as const,
    position: { x: index * 10, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' as const },
  }));
