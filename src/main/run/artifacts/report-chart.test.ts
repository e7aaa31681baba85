import { describe, expect, it } from 'vitest';
import { chartSvg, ticks } from './report-chart.ts';

const line = { name: 'Rank 0 <N1>', colour: '#123456', x: [0, 10, 20, 30], y: [4, null, 2, 1] };

describe('a chart of the report', () => {
  it('draws every point in its place, and a gap as a gap', () => {
    const svg = chartSvg({ title: 'Loss & more', xName: 'step', lines: [line] });
    const [, path = ''] = /<path d="([^"]+)"/.exec(svg) ?? [];
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path.match(/L/g)).toHaveLength(1);
    expect(svg).not.toContain('NaN');
    // From the left edge of the plot to its right one.
    expect(path).toMatch(/^M56\.0 /);
    expect(path).toMatch(/L508\.0 [\d.]+$/);
    expect(svg).toContain('Loss &amp; more');
    expect(svg).toContain('Rank 0 &lt;N1&gt;');
  });

  it('of nothing is nothing, and of one value still a chart', () => {
    expect(chartSvg({ title: 't', xName: 'x', lines: [{ ...line, y: [null, null, null, null] }] })).toBe('');
    expect(
      chartSvg({ title: 't', xName: 'x', lines: [{ ...line, x: [5], y: [0], dots: true }] }),
    ).not.toContain('NaN');
  });

  it('counts in ones, twos and fives', () => {
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks(3, 3, 5)).toEqual([3]);
  });
});
