/** Tests which sources stay open. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IndexFile } from './index-file.ts';
import { LateFlush } from './late-flush.ts';
import { OpenLogs } from './open-logs.ts';
import { RawFile } from './raw.ts';
import { realDisk } from './durable.ts';
import { SourceLog } from './source.ts';
import { bytesOf, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';

/** Logs that hold as much as they are said to, and what was opened and written. */
function logs() {
  const held = new Map<string, number>();
  const opened: string[] = [];
  const written: string[] = [];
  const open = new OpenLogs((_run, source) => {
    opened.push(source);
    return Promise.resolve({
      source,
      get held() {
        return held.get(source) ?? 0;
      },
      write: () => void written.push(source),
    });
  });
  const round = async (ranks: number): Promise<void> => {
    for (let rank = 0; rank < ranks; rank += 1) await open.get('r', `rank-${rank}`);
  };
  return { open, held, opened, written, round };
}

it('of a run of a thousand ranks, whose lines come in turn, all stay open', async () => {
  const { opened, written, round } = logs();
  for (let times = 0; times < 3; times += 1) await round(1000);
  expect(opened).toHaveLength(1000);
  expect(written).toEqual([]);
});

it('where they hold too much, the least recently used are written and closed, down to 256', async () => {
  const { open, held, opened, written, round } = logs();
  for (let rank = 0; rank < 300; rank += 1) held.set(`rank-${rank}`, 1024 * 1024);
  await round(300);
  expect(opened).toHaveLength(300);
  expect(written).toEqual(Array.from({ length: 44 }, (_, rank) => `rank-${rank}`));
  // What a log holds grows while it is open, and is free when it is dropped.
  await open.get('r', 'rank-0');
  expect(opened).toHaveLength(301);
  for (let rank = 1; rank < 300; rank += 1) open.drop('r', `rank-${rank}`);
  written.length = 0;
  held.clear();
  await round(300);
  await round(300);
  expect(written).toEqual([]);
  held.set('rank-299', 100 * 1024 * 1024);
  await open.get('r', 'rank-299');
  expect(written).toHaveLength(44);
});

it('a log that cannot be opened is opened again the next time', async () => {
  let tries = 0;
  const open = new OpenLogs(() => {
    tries += 1;
    return tries === 1
      ? Promise.reject(new Error('EIO'))
      : Promise.resolve({ held: 0, write: () => undefined });
  });
  await expect(open.get('r', 'rank-0')).rejects.toThrow('EIO');
  await open.get('r', 'rank-0');
  expect(tries).toBe(2);
});

it('a source holds the rows that are not in full blocks of the index', () => {
  using folder = temporaryFolder();
  const { index, close } = openIndex(folder.path);
  const raw = new RawFile(folder.path, 'rank-0', realDisk, new LateFlush(realDisk));
  const log = new SourceLog({ index, shape: smallShape, runId: 'r', source: 'rank-0', raw });
  const empty = log.held;
  log.append(0, bytesOf(...Array.from({ length: 100 * smallShape.rows }, (_, n) => stepLine(n, n))));
  const before = log.held - empty;
  // Four keys and a field or two of each row, in two tables.
  expect(before).toBeGreaterThanOrEqual(1000 * smallShape.rows);
  log.write();
  expect(log.held - empty).toBeLessThan(before / 10);
  close();
});

function openIndex(folder: string) {
  const file = new IndexFile(join(folder, 'index.db'), smallShape);
  return { index: file.index, close: () => file.close() };
}
