import { describe, expect, it } from 'vitest';
import { numericFields, parseMetricLine } from './metrics.ts';

const parsed = (text: string) => {
  const result = parseMetricLine(text);
  if (!result.ok) throw new Error(result.reason);
  return result.line;
};

describe('metrics lines', () => {
  it('keep unknown kinds and fields', () => {
    expect(parsed('{"v":1,"seq":3,"t":1.5,"kind":"brand-new","extra":{"a":1}}')).toMatchObject({
      kind: 'brand-new',
      extra: { a: 1 },
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"v":2,"seq":0,"t":0,"kind":"step"}',
    '{"v":1,"t":0,"kind":"step"}',
    '{"v":1,"seq":-1,"t":0,"kind":"step"}',
    '{"v":1,"seq":0,"t":0,"ki',
  ])('an invalid line is returned as bad, not thrown: %j', (text) => {
    expect(parseMetricLine(text)).toMatchObject({ ok: false, text });
  });

  it('fault 31: numbers that JSON cannot represent are read back', () => {
    const fields = numericFields(
      parsed('{"v":1,"seq":0,"t":0,"kind":"step","loss":"NaN","top1":"-Infinity","lr":1e308}'),
    );
    expect(fields.get('loss')).toBeNaN();
    expect(fields.get('top1')).toBe(Number.NEGATIVE_INFINITY);
    expect(fields.get('lr')).toBe(1e308);
  });

  it('return the numbers inside samples', () => {
    const fields = numericFields(
      parsed(
        '{"v":1,"seq":0,"t":0,"kind":"sample","gpus":[{"index":0,"name":"A","utilization_percent":97}],"network":[{"name":"eth0","bytes_sent":5}],"processes":[{"pid":12,"cpu_percent":99}]}',
      ),
    );
    expect(fields.get('gpus.0.utilization_percent')).toBe(97);
    expect(fields.get('network.eth0.bytes_sent')).toBe(5);
    expect(fields.get('processes.12.cpu_percent')).toBe(99);
  });

  it('have no curves of process ids', () => {
    const processes = [{ pid: 12, cpu_percent: 99, descendants: [13, 14] }];
    const fields = numericFields({ v: 1, seq: 0, t: 0, kind: 'sample', processes });
    expect([...fields.keys()]).toEqual(['t', 'processes.12.pid', 'processes.12.cpu_percent']);
    const values = { descendants: 5 };
    expect(numericFields({ v: 1, seq: 0, t: 0, kind: 'scalar', values }).get('values.descendants')).toBe(5);
  });

  it('name a GPU by its index, also where another was lost and is not listed', () => {
    const sample = (gpus: readonly object[]): string[] => [
      ...numericFields({ v: 1, seq: 0, t: 0, kind: 'sample', gpus }).keys(),
    ];
    expect(sample([{ index: 1, use: 91 }])).toContain('gpus.1.use');
    expect(
      sample([
        { index: 'x', use: 91 },
        { index: -1, use: 5 },
      ]),
    ).toEqual(expect.arrayContaining(['gpus.0.use', 'gpus.1.use']));
  });
});
