/** The trainer's lines, broken in every way: parsed within limits, or a bad line; never an exception. */
import { expect, it } from 'vitest';
import { numericFields, parseMetricLine } from './metrics.ts';
import { forEachCase, fuzzTimeout, mutateText, mutateTree } from '../testing/fuzz.ts';

const lines: readonly object[] = [
  {
    v: 1,
    seq: 0,
    t: 1_700_000_000.5,
    kind: 'start',
    rank: 0,
    world_size: 2,
    settings: { lr: 0.1, arch: 'resnet18' },
  },
  { v: 1, seq: 1, t: 1_700_000_001, kind: 'step', epoch: 0, step: 0, loss: 'NaN', seconds: 0.25 },
  { v: 1, seq: 2, t: 1_700_000_002, kind: 'eval', epoch: 0, top1: 12.5, top5: 55, loss: 2.25 },
  {
    v: 1,
    seq: 3,
    t: 1_700_000_003,
    kind: 'sample',
    gpus: [{ index: 0, utilization_percent: 99, processes: [{ pid: 4711, memory_bytes: 1e9 }] }],
    network: { eth0: { bytes_sent: 12 } },
  },
  { v: 1, seq: 4, t: 1_700_000_004, kind: 'error', message: 'boom', hint: 'less' },
];

// One change for each line: the mutator's recursion depth limits the number of changes.
it('JSON lines with changed structure', { timeout: fuzzTimeout() }, () =>
  forEachCase('metrics tree', (random) => {
    const parsed = parseMetricLine(JSON.stringify(mutateTree(random.pick(lines), random, 1)));
    if (!parsed.ok) {
      expect(parsed.reason).not.toBe('');
      return;
    }
    expect(Number.isSafeInteger(parsed.line.seq)).toBe(true);
    expect(new Date(parsed.line.t * 1000).toISOString()).not.toBe('');
    for (const [name, value] of numericFields(parsed.line)) {
      expect(typeof name).toBe('string');
      expect(typeof value).toBe('number');
    }
    // It is sent to windows as JSON.
    expect(() => JSON.stringify(parsed.line)).not.toThrow();
  }),
);

it('JSON lines with changed text', { timeout: fuzzTimeout() }, () =>
  forEachCase('metrics text', (random) => {
    const text = mutateText(JSON.stringify(random.pick(lines)), random, [
      '"v":1',
      '1e999',
      '[',
      '{"a":',
      '"__proto__":1,',
    ]);
    expect(() => parseMetricLine(text)).not.toThrow();
  }),
);

it('an endless line and one of endless nesting are bad lines', () => {
  const head = '{"v":1,"seq":1,"t":1,"kind":"step","x":';
  expect(parseMetricLine(`${head}"${'x'.repeat(5_000_000)}"}`)).toMatchObject({ ok: false });
  expect(parseMetricLine(`${head}${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatchObject({
    ok: false,
  });
  expect(parseMetricLine('{"v":1,"seq":1e300,"t":1,"kind":"step"}')).toMatchObject({ ok: false });
  expect(parseMetricLine('{"v":1,"seq":1,"t":1e300,"kind":"step"}')).toMatchObject({ ok: false });
});
