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
});
