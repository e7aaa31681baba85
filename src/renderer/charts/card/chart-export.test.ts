import { describe, expect, it } from 'vitest';
import { chartCsv } from './chart-export.ts';

describe('a chart’s data', () => {
  it('has one row per position, with every line’s value', () => {
    const text = chartCsv(
      [
        { name: 'Rank 0, "a"', track: { x: [0, 10, 20], y: [1, null, 3], version: 1 } },
        { name: 'Validation', track: { x: [10], y: [0.5], version: 1 } },
        { name: 'Rank 1', track: undefined },
      ],
      { choice: 'epoch', toShown: (x) => x / 10 },
    );
    expect(text).toBe('epoch,"Rank 0, ""a""",Validation,Rank 1\r\n0,1,,\r\n1,NaN,0.5,\r\n2,3,,\r\n');
  });

  it('has a row for each of several points at one position', () => {
    const text = chartCsv(
      [
        { name: 'a', track: { x: [0, 0, 0, 1], y: [1, 2, null, 4], version: 1 } },
        { name: 'b', track: { x: [0, 1, 1], y: [5, 6, 7], version: 1 } },
      ],
      { choice: 'epoch', toShown: (x) => x },
    );
    expect(text).toBe('epoch,a,b\r\n0,1,5\r\n0,2,\r\n0,NaN,\r\n1,4,6\r\n1,,7\r\n');
  });

  it('begins with a byte order mark where a name has letters that Excel would garble', () => {
    const track = { x: [0], y: [1], version: 1 };
    const of = (name: string): string => chartCsv([{ name, track }], { choice: 'epoch', toShown: (x) => x });
    expect(of('Nœud')).toBe('\uFEFFepoch,Nœud\r\n0,1\r\n');
    expect(of('Node')).toBe('epoch,Node\r\n0,1\r\n');
  });
});
