/** Fuzzed files of the data folder: a run opens or its error is reported, and no other run is affected. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { RunRecord } from '../../shared/run/run.ts';
import { forEachCase, fuzzCases, fuzzTimeout, mutateText, mutateTree } from '../../shared/testing/fuzz.ts';
import { Engine } from './engine.ts';
import { parseRun } from './runs.ts';
import { bytesOf, line, runRecord, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';

it('records of runs', { timeout: fuzzTimeout() }, () =>
  forEachCase('run.json', (random) => {
    const good = runRecord('r', { notes: 'seen', unreachable: { a: 1 } });
    const text = random.chance(0.5)
      ? JSON.stringify(mutateTree(good, random, 1))
      : mutateText(JSON.stringify(good, undefined, 1), random, ['"version": 9', '{', '],', '1e999']);
    try {
      expect(RunRecord.safeParse(parseRun(text, 'r', '/r/run.json')).success).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(RinglabError);
      expect(['run_newer', 'file_unreadable']).toContain((error as RinglabError).code);
    }
  }),
);

const count = 60;

/** A tenth of the cases: each opens a store twice. */
it('raw lines and the index', { timeout: fuzzTimeout() }, () =>
  forEachCase(
    'store files',
    async (random) => {
      using folder = temporaryFolder();
      const data = folder.path;
      const first = new Engine({ dataFolder: data, shape: smallShape });
      for (const id of ['r', 'other']) {
        await first.saveRun(runRecord(id));
        const lines = Array.from({ length: count }, (_, n) => stepLine(n, n));
        await first.append({
          runId: id,
          source: 'rank-0',
          offset: 0,
          bytes: bytesOf(...lines, line(count, 'end')),
        });
      }
      await first.close();

      const raw = join(data, 'runs', 'r', 'rank-0.jsonl');
      if (random.chance(0.6))
        writeFileSync(raw, mutateText(readFileSync(raw, 'utf8'), random, ['{"v":1}', '\0'.repeat(600)]));
      if (random.chance(0.4)) {
        const index = join(data, 'index.db');
        const bytes = readFileSync(index);
        for (let n = 1 + random.below(40); n > 0; n -= 1)
          bytes[random.below(bytes.length)] = random.below(256);
        writeFileSync(index, random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length)) : bytes);
      }

      const engine = new Engine({ dataFolder: data, shape: smallShape });
      try {
        // The other run is complete, whatever was done to this one and to the index.
        expect(await engine.countPoints('other')).toBe(count + 1);
        expect((await engine.listRuns()).map(({ id }) => id)).toContain('other');
        const points = await engine.countPoints('r');
        expect(points).toBeGreaterThanOrEqual(0);
        await engine.lines({ runId: 'r', kinds: ['step', 'end'], limit: 100 });
        const offset = await engine.offset('r', 'rank-0');
        const more = await engine.append({
          runId: 'r',
          source: 'rank-0',
          offset,
          bytes: bytesOf(line(1_000_000, 'step', { step: 9 })),
        });
        expect(more.nextOffset).toBeGreaterThan(offset);
      } catch (error) {
        if (!(error instanceof RinglabError)) throw error;
        throw new Error(`${error.code} ${JSON.stringify(error.params)}`, { cause: error });
      } finally {
        await engine.close();
      }
    },
    Math.ceil(fuzzCases() / 10),
  ),
);
