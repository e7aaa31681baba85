import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { createLabs, type Labs } from '../lab/index.ts';
import { unmarkDeleted } from '../local/index.ts';
import { createLeftNodes } from './left-nodes.ts';

let data = '';
let labs: Labs;
let runs: RunRecord[] = [];
let problems: object[] = [];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'ringlab-left-'));
  [runs, problems] = [[], []];
  let clock = 0;
  labs = createLabs({ dataFolder: data, assetsFolder: data, events: { emit: () => 0 }, now: () => ++clock });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** A node with what the app puts there. */
const node = (labId: string, nodeId: string): string => join(data, 'nodes', labId, nodeId);
const put = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x');
};
const prepare = (labId: string, nodeId = 'n1'): void => {
  put(join(node(labId, nodeId), 'host_key'));
  put(join(node(labId, nodeId), 'home/.ringlab/data/set/image'));
  put(join(node(labId, nodeId), 'home/.ringlab/wheels/one/python'));
};
const isPrepared = (labId: string): boolean => existsSync(join(node(labId, 'n1'), 'home/.ringlab/data'));
const draw = async (id: string): Promise<void> => {
  await labs.openOr(emptyLab(id, id));
  prepare(id);
};
const remove = async (): Promise<void> => {
  const store = { listRuns: () => Promise.resolve(runs), problems: () => Promise.resolve(problems) };
  // Whether there are any is all that counts.
  await createLeftNodes({ dataFolder: data, labs, store: store as never }).remove();
};
/** Deletes 100 others: it leaves the trash. */
const displace = async (): Promise<void> => {
  for (let number = 0; number < 100; number += 1) {
    await labs.openOr(emptyLab(`other${number}`, 'other'));
    await labs.delete(`other${number}`);
  }
};

describe('what the local nodes of a deleted lab have', () => {
  it('stays while the lab can be restored, and goes when it has left the trash, with what nodes share', async () => {
    await draw('a');
    await draw('b');
    put(join(data, 'wheels/cache/torch'));
    await labs.delete('a');
    await labs.delete('b');
    await remove();
    expect([isPrepared('a'), isPrepared('b')]).toEqual([true, true]);
    await labs.restore('b');
    await displace();
    await remove();
    expect([isPrepared('a'), isPrepared('b')]).toEqual([false, true]);
    expect(existsSync(join(data, 'nodes/a'))).toBe(false);
    expect(existsSync(join(data, 'wheels'))).toBe(true);
    await labs.delete('b');
    await remove();
    await displace();
    await remove();
    expect(existsSync(join(data, 'nodes/b'))).toBe(false);
    expect(existsSync(join(data, 'wheels'))).toBe(false);
  });

  it('stays while a run has the lab, or a run’s lab is not known', async () => {
    await draw('a');
    await labs.delete('a');
    await remove();
    await displace();
    runs = [runRecord('r', { labId: 'a', state: 'finished', binned: { t: 1, nodes: false } })];
    await remove();
    expect(isPrepared('a')).toBe(true);
    [runs, problems] = [[], [{ runId: 'r' }]];
    await remove();
    expect(isPrepared('a')).toBe(true);
    problems = [];
    await remove();
    expect(isPrepared('a')).toBe(false);
  });

  it('is not that of labs that the command line has from files, nor of one that it prepares again', async () => {
    prepare('file');
    await draw('a');
    await labs.delete('a');
    await remove();
    await displace();
    // As when its server starts.
    await unmarkDeleted(data, 'a');
    await remove();
    expect([isPrepared('file'), isPrepared('a')]).toEqual([true, true]);
  });

  it('stays where the folder of labs cannot be read', async () => {
    await draw('a');
    await labs.delete('a');
    await remove();
    rmSync(join(data, 'labs'), { recursive: true });
    await remove();
    expect(isPrepared('a')).toBe(true);
  });

  it('goes without the user’s own files, kept run folders, and what links lead to', async () => {
    await draw('a');
    const outside = join(data, 'outside');
    put(join(outside, 'precious'));
    const home = join(node('a', 'n1'), 'home');
    put(join(home, 'notes.txt'));
    put(join(home, '.ringlab/runs/r/rank-0/checkpoint'));
    symlinkSync(outside, join(home, '.ringlab/environments'));
    symlinkSync(outside, join(home, '.ringlab/data/set/link'));
    mkdirSync(join(node('a', 'n2')), { recursive: true });
    symlinkSync(outside, join(node('a', 'n2'), 'home'));
    prepare('elsewhere');
    symlinkSync(node('elsewhere', 'n1'), node('a', 'n3'));
    await labs.delete('a');
    await remove();
    await displace();
    await remove();
    expect(readdirSync(join(home, '.ringlab')).sort()).toEqual(['environments', 'runs']);
    expect(existsSync(join(home, 'notes.txt'))).toBe(true);
    expect(existsSync(join(home, '.ringlab/runs/r/rank-0/checkpoint'))).toBe(true);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
    expect(isPrepared('elsewhere')).toBe(true);
  });
});
