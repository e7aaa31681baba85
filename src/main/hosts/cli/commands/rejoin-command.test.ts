import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabApi } from '../../../../shared/contract/api.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../shared/lab/lab.ts';
import { runRecord } from '../../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../../shared/run/run.ts';
import { namedReplacement, rejoining, wantedReplacements, withNewNodes } from './rejoin-command.ts';

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

it('files go from this computer to the new nodes alone', () => {
  const drawn = lab('N1', 'N2', 'N4');
  const names = (...by: string[]): string[] =>
    withNewNodes(
      drawn,
      by.map((word) => ({ lost: 'N1', by: word })),
    ).nodes.map(({ name }) => name);
  expect(names('N4')).toEqual(['N4']);
  expect(names('id-N2-1', 'N4')).toEqual(['N2', 'N4']);
  expect(names()).toEqual([]);
  expect(() => names('N5')).toThrow(/not_found/);
});

describe('where the app that a command asked ends meanwhile', () => {
  const going = runRecord('a', { labId: 'lab', lab: lab('N1', 'N2'), attempt: 2 });
  const lost = new RinglabError('connection_lost', { host: 'Ringlab' });
  const replaced = { ...going, lab: lab('N4', 'N2'), state: 'recovering' as const };
  const back = { ...replaced, state: 'running' as const, attempt: 3 };

  /** Each look at the run takes the next record, or loses the app; `wishes` counts requests to rejoin. */
  function session(looks: readonly (RunRecord | Error)[]) {
    const left = [...looks];
    const calls: string[] = [];
    const call = (name: string): Promise<unknown> => {
      calls.push(name);
      if (name === 'run.list') return Promise.resolve([going]);
      if (name !== 'run.get') return Promise.resolve({});
      const next = left.shift() ?? lost;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    };
    // A fake with what the command uses.
    const api = { call } as unknown as LabApi;
    return { api, concerns: () => undefined, wishes: () => calls.filter((name) => name === 'run.rejoin') };
  }

  it.each([
    ['N1=N4', [{ lost: 'N1', by: 'N4' }]],
    ['the same nodes', []],
  ])('a rejoin that is under way is waited for, with %s', async (_name, named) => {
    const rejoin = rejoining('a', named, lab('N1', 'N2', 'N4'));
    const first = session(named.length === 0 ? [] : [going]);
    await expect(rejoin(first, false)).rejects.toBe(lost);
    expect(first.wishes()).toHaveLength(1);
    const next = session([replaced, back]);
    expect(await rejoin(next, true)).toBe(back);
    expect(next.wishes()).toEqual([]);
  });

  it('one that it had recorded is waited for', async () => {
    const rejoin = rejoining('a', [], undefined);
    await expect(rejoin(session([]), false)).rejects.toBe(lost);
    const recorded: RunRecord = { ...going, recovery: { restarts: [], rejoins: true } };
    const next = session([recorded, back]);
    expect(await rejoin(next, true)).toBe(back);
    expect(next.wishes()).toEqual([]);
  });

  it('one that was over before the next app looked is not repeated', async () => {
    const rejoin = rejoining('a', [], undefined);
    await expect(rejoin(session([]), false)).rejects.toBe(lost);
    const next = session([back]);
    expect(await rejoin(next, true)).toBe(back);
    expect(next.wishes()).toEqual([]);
  });

  it('one that it had not recorded is asked for again, once the run trains', async () => {
    const rejoin = rejoining('a', [], undefined);
    await expect(rejoin(session([]), false)).rejects.toBe(lost);
    const next = session([{ ...going, state: 'waiting' }, going, going, back]);
    expect(await rejoin(next, true)).toBe(back);
    expect(next.wishes()).toHaveLength(1);
  });
});
