import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runRecord } from '../../../../shared/run/run.fixture.ts';
import { listRuns, showRun } from './runs-command.ts';

let data: string;
const written = { stdout: '', stderr: '' };
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'ringlab-runs-'));
  for (const name of ['stdout', 'stderr'] as const) {
    written[name] = '';
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    });
  }
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(data, { recursive: true, force: true, maxRetries: 3 });
});

it('a run whose record cannot be read is named, in place of “no runs”', async () => {
  await mkdir(join(data, 'runs', '20260101-100000-aaaaaa'), { recursive: true });
  const record = join(data, 'runs', '20260101-100000-aaaaaa', 'run.json');
  await writeFile(record, '{"version":1');
  const options = { data, acceptNewHostKeys: false, allowChanges: false, allowLending: false };
  expect(await listRuns(options, false)).toBe(0);
  expect(written.stdout).toBe('');
  expect(written.stderr).toContain(`${record} cannot be read`);
  written.stderr = '';
  await expect(showRun('20260101', options, false)).rejects.toMatchObject({ code: 'not_found' });
  expect(written.stderr).toContain(`${record} cannot be read`);
});

it('the list says of which time zone its times are', async () => {
  const id = '20260101-100000-bbbbbb';
  await mkdir(join(data, 'runs', id), { recursive: true });
  const record = runRecord(id, { state: 'finished', createdAt: Date.UTC(2026, 0, 1, 10) / 1000 });
  await writeFile(join(data, 'runs', id, 'run.json'), JSON.stringify(record));
  const options = { data, acceptNewHostKeys: false, allowChanges: false, allowLending: false };
  expect(await listRuns(options, false)).toBe(0);
  expect(written.stdout).toMatch(/^20260101-100000-bbbbbb {2}2026-01-01 10:00 UTC {2}finished /);
});

it('a run that is held in the queue is said to be, and since which run', async () => {
  const [before, id] = ['20260101-100000-bbbbbb', '20260101-100000-cccccc'];
  for (const record of [
    runRecord(before, { state: 'failed' }),
    runRecord(id, { state: 'queued', heldBy: before }),
  ]) {
    await mkdir(join(data, 'runs', record.id), { recursive: true });
    await writeFile(join(data, 'runs', record.id, 'run.json'), JSON.stringify(record));
  }
  const options = { data, acceptNewHostKeys: false, allowChanges: false, allowLending: false };
  expect(await listRuns(options, false)).toBe(0);
  expect(written.stdout).toContain(`queued`);
  expect(written.stdout).toContain(`(Held since “${before}” failed)`);
  written.stdout = '';
  expect(await listRuns(options, true)).toBe(0);
  expect(JSON.parse(written.stdout)).toContainEqual(expect.objectContaining({ id, heldBy: before }));
  written.stdout = '';
  expect(await showRun(id, options, true)).toBe(0);
  expect(JSON.parse(written.stdout)).toMatchObject({ id, heldBy: before });
});
