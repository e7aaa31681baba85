import { expect, it } from 'vitest';
import { runRecord } from '../../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../../shared/run/run.ts';
import { StoredRun } from '../../../../shared/run/stored-run.ts';
import { sshProcess, startedProcess } from './ssh-process.ts';

const process = { pid: 7, bootId: 'b\'0 "', startTicks: 50 };

it('a process has a text id, the same for the same process, and is shown by its number', () => {
  const started = startedProcess(process);
  expect(started.pid).toBe(7);
  expect(sshProcess(started)).toEqual(process);
  expect(startedProcess({ startTicks: 50, bootId: process.bootId, pid: 7 })).toEqual(started);
  expect(startedProcess({ ...process, startTicks: 51 }).id).not.toBe(started.id);
});

it.each(['', '7', 'job 1234', '{"pid":0,"bootId":"b","startTicks":1}'])(
  'a process of another launcher is refused: %j',
  (id) => {
    expect(() => sshProcess({ id })).toThrow('internal');
  },
);

it('a process of a run by an earlier Ringlab is found', () => {
  const rank = {
    rank: 0,
    nodeId: 'n',
    nodeName: 'N',
    localRank: 0,
    state: 'running' as const,
    argv: [],
    env: {},
    directory: '/r/rank-0',
  } satisfies RankRecord;
  const now = runRecord('r', {
    ranks: [
      { ...rank, process: startedProcess(process) },
      { ...rank, rank: 1 },
    ],
  });
  const then = {
    ...now,
    ranks: [
      { ...rank, process },
      { ...rank, rank: 1 },
    ],
  };
  expect(StoredRun.parse(then)).toEqual(now);
  expect(StoredRun.parse(now)).toEqual(now);
  expect(StoredRun.safeParse({ ...then, ranks: [{ process }] }).success).toBe(false);
  for (const damaged of [undefined, null, 7, [], { ranks: 1 }])
    expect(StoredRun.safeParse(damaged).success).toBe(false);
});
