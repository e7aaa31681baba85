import { expect, it } from 'vitest';
import { defaultPlacement, type LabNode } from '../../../shared/lab/lab.ts';
import { refuseDifferent } from './same-versions.ts';

const node = (name: string): LabNode => ({
  id: name,
  name,
  kind: 'cpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('cpu'),
  access: { type: 'local' },
});
const of = (name: string, python: string, torch: string) => ({
  node: node(name),
  work: { pythonVersions: { python, torch } },
});

it('nodes with one torch and one minor version of Python train together, whatever hardware it was built for', () => {
  refuseDifferent([of('a', '3.11.2', '2.9.1+cu128'), of('b', '3.11.9', '2.9.1+cpu')]);
  refuseDifferent([{ node: node('a'), work: {} }, of('b', '3.11.9', '2.9.1')]);
});

it.each([
  ['torch', of('b', '3.11.2', '2.8.0'), '2.9.1', '2.8.0'],
  ['Python', of('b', '3.12.1', '2.9.1'), '3.11', '3.12'],
])('another %s is an error that names both nodes', (what, second, one, other) => {
  expect(() => refuseDifferent([of('a', '3.11.2', '2.9.1'), second])).toThrow(
    expect.objectContaining({
      code: 'python_differs',
      params: { what, first: 'a', one, second: 'b', other },
    }),
  );
});
