/** Tests that repeatedly kill the store's process during its work. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Engine } from './engine.ts';
import { randomFrom, runRecord, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';
import type { RinglabError } from '../../shared/base/errors.ts';

const rounds = 5;
const sources = ['rank-0', 'rank-1'];

describe('a store that is killed', () => {
  it('fault 25: kill -9 during an append loses no line and stores none twice', async () => {
    using folder = temporaryFolder();
    const random = randomFrom(25);
    const nodeFile = join(folder.path, 'node-metrics.jsonl');
    // More than can be written, with torn lines.
    const lines = Array.from({ length: 60_000 }, (_, n) =>
      n % 97 === 13 ? `{"v":1,"seq":${n},"t\n${stepLine(n, n)}` : stepLine(n, n),
    );
    const truth = Buffer.from(lines.join(''));
    writeFileSync(nodeFile, truth);
    const data = join(folder.path, 'data');
    const first = new Engine({ dataFolder: data, shape: smallShape });
    await first.saveRun(runRecord('r'));
    await first.close();

    const repairs: RinglabError[] = [];
    let reached = 0;
    for (let round = 0; round < rounds; round += 1) {
      const acknowledged = await appendUntilKilled(data, nodeFile, 20 + Math.floor(random() * 150));
      const engine = new Engine({
        dataFolder: data,
        shape: smallShape,
        onRepaired: (what) => repairs.push(what),
      });
      expect(engine.repaired).toEqual([]);
      for (const source of sources) {
        const offset = await engine.offset('r', source);
        expect(offset).toBeGreaterThanOrEqual(acknowledged.get(source) ?? 0);
        reached = Math.max(reached, offset);
        const raw = readFileSync(join(data, 'runs', 'r', `${source}.jsonl`));
        expect(raw.subarray(0, offset).equals(truth.subarray(0, offset))).toBe(true);
        expect(truth[offset - 1]).toBe(0x0a);
        const whole = truth.subarray(0, offset).toString().split('\n');
        const wanted = whole.filter((text) => text.endsWith('}')).length;
        const [series] = await engine.series({
          runId: 'r',
          series: [{ source, kind: 'step', field: 'loss' }],
          x: 'step',
          maxPoints: 5000,
        });
        expect(series!.total).toBe(wanted);
        if (wanted <= 5000) expect(series!.x).toEqual(Array.from({ length: wanted }, (_, n) => n));
      }
      await engine.close();
    }
    expect(repairs).toEqual([]);
    expect(reached).toBeGreaterThan(10_000);
  });
});

/** Starts a process that appends continuously, and kills it. Returns the offsets that it had confirmed. */
async function appendUntilKilled(data: string, nodeFile: string, ms: number): Promise<Map<string, number>> {
  const script = join(import.meta.dirname, 'testing', 'append-forever.ts');
  const child = spawn(process.execPath, [script, data, nodeFile, ...sources], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged = new Map<string, number>();
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let started = false;
  for await (const text of createInterface({ input: child.stdout })) {
    if (!started) setTimeout(() => child.kill('SIGKILL'), ms);
    started = true;
    const [source, offset] = text.split(' ');
    if (source !== undefined && offset !== undefined && /^\d+$/.test(offset))
      acknowledged.set(source, Number(offset));
  }
  await ended;
  expect(started).toBe(true);
  return acknowledged;
}
