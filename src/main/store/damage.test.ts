import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Engine } from './engine.ts';
import { openStore } from './index.ts';
import { bytesOf, line, runRecord, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';
import type { RinglabError } from '../../shared/base/errors.ts';

const count = 500;
const runFiles = (data: string): string =>
  readdirSync(join(data, 'runs', 'r'))
    .sort()
    .map((name) => `${name}: ${readFileSync(join(data, 'runs', 'r', name), 'utf8')}`)
    .join('\n');

async function fill(data: string): Promise<void> {
  const engine = new Engine({ dataFolder: data, shape: smallShape });
  await engine.saveRun(runRecord('r'));
  let offset = 0;
  for (let from = 0; from < count; from += 20) {
    const bytes = bytesOf(...Array.from({ length: 20 }, (_, n) => stepLine(from + n, from + n)));
    ({ nextOffset: offset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes }));
  }
  await engine.setSetting('theme', 'dark');
  await engine.close();
}

async function expectWhole(engine: Engine): Promise<void> {
  expect((await engine.listRuns()).map((run) => run.id)).toEqual(['r']);
  expect(await engine.countPoints('r')).toBe(count);
  const [series] = await engine.series({
    runId: 'r',
    series: [{ source: 'rank-0', kind: 'step', field: 'loss' }],
    x: 'step',
    maxPoints: 5000,
  });
  expect(series!.x).toEqual(Array.from({ length: count }, (_, n) => n));
  expect(engine.getSetting('theme')).toBe('dark');
}

describe('a damaged database', () => {
  const damages: [string, (path: string) => void][] = [
    ['garbage', (path) => writeFileSync(path, Buffer.alloc(50_000, 'this is no database '))],
    ['a truncated file', (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
    ['a file cut in mid-page', (path) => truncateSync(path, 5000)],
    ['a header of zeros', (path) => overwrite(path, 0, Buffer.alloc(100))],
    [
      'a changed letter in its schema',
      (path) => {
        const bytes = readFileSync(path);
        bytes.write('vield', bytes.indexOf('field TEXT'));
        writeFileSync(path, bytes);
      },
    ],
    ['zeros in its middle', (path) => overwrite(path, 8192, Buffer.alloc(statSync(path).size - 8192 - 4096))],
  ];

  it.each(damages)('fault 35: %s is set aside and rebuilt from the run folders', async (_, damage) => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const before = runFiles(folder.path);
    damage(join(folder.path, 'index.db'));
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(engine.repaired).toMatchObject([
      { code: 'database_damaged', params: { path: join(folder.path, 'index.db') } },
    ]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('index-damaged-'))).not.toEqual([]);
    await expectWhole(engine);
    await engine.close();
    expect(runFiles(folder.path)).toBe(before);
    const again = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(again.repaired).toEqual([]);
    await expectWhole(again);
    await again.close();
  });

  it.each([
    ['empty', (path: string) => writeFileSync(path, '')],
    ['missing', (path: string) => rmSync(path)],
    [
      'of another version',
      (path: string) => {
        const database = new DatabaseSync(path);
        database.exec("UPDATE meta SET value = 'of the future'; DROP TABLE blocks");
        database.close();
      },
    ],
  ])('rebuilds an index that is %s without a notice', async (_, change) => {
    using folder = temporaryFolder();
    await fill(folder.path);
    change(join(folder.path, 'index.db'));
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(engine.repaired).toEqual([]);
    await expectWhole(engine);
    await engine.close();
  });

  it('fault 35: a damaged block is found on reading and repaired while the store is in use', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const said: RinglabError[] = [];
    const path = join(folder.path, 'index.db');
    const database = new DatabaseSync(path);
    // Flips every bit of a value, as a bad disk might: SQLite cannot detect it.
    database.exec(
      "UPDATE blocks SET data = CAST(substr(data, 1, 12) || x'ffffffff' || substr(data, 17) AS BLOB)",
    );
    database.close();
    const engine = new Engine({
      dataFolder: folder.path,
      shape: smallShape,
      onRepaired: (what) => said.push(what),
    });
    expect(engine.repaired).toEqual([]);
    await expectWhole(engine);
    expect(said).toMatchObject([{ code: 'database_damaged', params: { path } }]);
    await engine.close();
  });

  it('fault 35: a damage found by append loses none of its lines', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    const offset = await engine.offset('r', 'rank-0');
    const database = new DatabaseSync(join(folder.path, 'index.db'));
    database.exec('DELETE FROM blocks');
    database.close();
    const bytes = bytesOf(stepLine(3, 3), stepLine(count, count));
    const { points } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes });
    expect(points.map((point) => point.line.seq)).toEqual([count]);
    expect(await engine.countPoints('r')).toBe(count + 1);
    await engine.close();
  });

  it('is kept once at most', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    for (let n = 0; n < 3; n += 1) {
      writeFileSync(join(folder.path, 'index.db'), `junk ${n}`.repeat(100));
      await new Engine({ dataFolder: folder.path, shape: smallShape }).close();
    }
    const aside = readdirSync(folder.path).filter((name) => /^index-damaged-\d+\.db$/.test(name));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(folder.path, aside[0]!), 'utf8')).toContain('junk 2');
  });

  it('reads again the lines that a raw file has lost', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const raw = join(folder.path, 'runs', 'r', 'rank-0.jsonl');
    const whole = readFileSync(raw);
    truncateSync(raw, 1000);
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    const offset = await engine.offset('r', 'rank-0');
    expect(offset).toBeLessThanOrEqual(1000);
    await engine.append({ runId: 'r', source: 'rank-0', offset, bytes: whole.subarray(offset) });
    await expectWhole(engine);
    await engine.close();
  });

  it('removes an incomplete line of a raw file before appending', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const raw = join(folder.path, 'runs', 'r', 'rank-0.jsonl');
    const whole = readFileSync(raw);
    appendFileSync(raw, `{"v":1,"seq":${count},"torn":"${'x'.repeat(500)}`);
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(await engine.offset('r', 'rank-0')).toBe(whole.length);
    const bytes = bytesOf(stepLine(count, count));
    await engine.append({ runId: 'r', source: 'rank-0', offset: whole.length, bytes });
    expect(readFileSync(raw)).toEqual(Buffer.concat([whole, bytes]));
    expect(await engine.countPoints('r')).toBe(count + 1);
    await engine.close();
  });

  it('uses the defaults for damaged settings, and keeps the damaged file', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    writeFileSync(join(folder.path, 'settings.json'), '{"theme": 5');
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(engine.repaired).toMatchObject([
      { code: 'settings_damaged', params: { path: join(folder.path, 'settings.json') } },
    ]);
    expect(engine.getSetting('theme')).toBeUndefined();
    await engine.close();
    expect(readFileSync(join(folder.path, 'settings.json.damaged'), 'utf8')).toBe('{"theme": 5');
  });
});

describe('runs that cannot be opened', () => {
  const newer = `${JSON.stringify({ ...runRecord('r'), version: 2, somethingNew: true })}\n`;

  it.each([
    ['of a newer version', newer, 'run_newer'],
    [
      'with a lab of a newer version',
      JSON.stringify({ ...runRecord('r'), lab: { ...runRecord('r').lab, version: 9 } }),
      'run_newer',
    ],
    ['that are damaged', '{"version":1,"id":"r"', 'file_unreadable'],
    ['that lack a field', JSON.stringify({ ...runRecord('r'), state: undefined }), 'file_unreadable'],
    ['that say another id', JSON.stringify(runRecord('other')), 'file_unreadable'],
  ])('fault 36: run records %s are reported, readable, and unchanged', async (_, text, code) => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const run = join(folder.path, 'runs', 'r');
    writeFileSync(join(run, 'run.json'), text);
    writeFileSync(join(run, 'rank-1.jsonl'), `${line(0, 'step', { step: 0, loss: 1 })}{"v":1,"seq":1,"torn`);
    const before = runFiles(folder.path);
    const { store } = await openStore(folder.path);
    try {
      expect(await store.listRuns()).toEqual([]);
      expect(await store.problems()).toMatchObject([{ runId: 'r', error: { code } }]);
      await expect(store.getRun('r')).rejects.toMatchObject({ code });
      await expect(store.saveRun(runRecord('r'))).rejects.toMatchObject({ code });
      await expect(store.deleteRun('r')).rejects.toMatchObject({ code });
      const chunk = {
        runId: 'r',
        source: 'rank-1',
        offset: 0,
        bytes: bytesOf(stepLine(0, 0), stepLine(1, 1)),
      };
      await expect(store.append(chunk)).rejects.toMatchObject({ code });
      await expect(store.restart('r', 'rank-1')).rejects.toMatchObject({ code });
      expect(await store.countPoints('r')).toBe(count + 1);
    } finally {
      await store.close();
    }
    expect(runFiles(folder.path)).toBe(before);
  });

  it.each([NaN, 1.7e18])(
    'are not written: a step of %s is refused, and the record before stays',
    async (step) => {
      using folder = temporaryFolder();
      await fill(folder.path);
      const before = runFiles(folder.path);
      const { store } = await openStore(folder.path);
      try {
        const detail = expect.stringContaining('step') as string;
        await expect(store.saveRun(runRecord('r', { step }))).rejects.toMatchObject({
          code: 'internal',
          detail,
        });
        await expect(store.saveRun(runRecord('new', { step }))).rejects.toMatchObject({ code: 'internal' });
        expect((await store.listRuns()).map(({ id }) => id)).toEqual(['r']);
        expect(await store.problems()).toEqual([]);
        expect(runFiles(folder.path)).toBe(before);
        await store.saveRun(runRecord('r', { state: 'stopping' }));
        expect(await store.getRun('r')).toMatchObject({ state: 'stopping' });
      } finally {
        await store.close();
      }
    },
  );

  it('are read again at the next start, also where nothing of the file has changed: a lock, a failing disk, an older Ringlab', async () => {
    using folder = temporaryFolder();
    await fill(folder.path);
    const path = join(folder.path, 'runs', 'r', 'run.json');
    const text = readFileSync(path, 'utf8');
    // The same file, size and time in both.
    const put = (content: string): void => {
      writeFileSync(path, content);
      utimesSync(path, 1, 1);
    };
    put(text.replace('"id"', '"ID"'));
    const first = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(await first.problems()).toHaveLength(1);
    await first.close();
    put(text);
    const second = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(await second.problems()).toEqual([]);
    await expectWhole(second);
    await second.close();
  });
});

function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}
