import { expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../shared/lab/lab.ts';
import { namedReplacement, wantedReplacements } from './rejoin-command.ts';

const lab = (...names: string[]): LabDocument => ({
  ...emptyLab('lab', 'Campus'),
  nodes: names.map((name, index) => ({
    ...{ id: `id-${name}-${index}`, name, kind: 'cpu', position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' } },
  })),
});

it('a replacement is two nodes by their names or ids', () => {
  expect(namedReplacement('N1=N4')).toEqual({ lost: 'N1', by: 'N4' });
  expect(namedReplacement(' N 1 = 新节点 ')).toEqual({ lost: 'N 1', by: '新节点' });
  for (const word of ['', 'N1', '=N4', 'N1=', '=']) expect(namedReplacement(word)).toBeUndefined();
});

it('the lost node is one of the run, the other one of the drawing', () => {
  const run = lab('N1', 'N2');
  const drawn = lab('N1', 'N2', 'N4');
  expect(wantedReplacements([{ lost: 'N1', by: 'N4' }], run, drawn)).toEqual([
    { nodeId: 'id-N1-0', by: 'id-N4-2' },
  ]);
  expect(wantedReplacements([{ lost: 'id-N2-1', by: 'id-N4-2' }], run, drawn)).toEqual([
    { nodeId: 'id-N2-1', by: 'id-N4-2' },
  ]);
  expect(() => wantedReplacements([{ lost: 'N4', by: 'N4' }], run, drawn)).toThrow(/not_found/);
  expect(() => wantedReplacements([{ lost: 'N1', by: 'N5' }], run, drawn)).toThrow(/not_found/);
});
