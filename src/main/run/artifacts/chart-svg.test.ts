import { describe, expect, it } from 'vitest';
import { chartFigure, chartFile } from './chart-svg.ts';

const line = { name: 'Rank 0 <N1>', colour: '#123456', x: [0, 10, 20, 30], y: [4, null, 2, 1] };

describe('a chart of the report', () => {
  it('draws every point at its position, and a gap as a gap', () => {
    const svg = chartFigure({ title: 'Loss & more', xName: 'step', lines: [line] });
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

  it('is empty without values, and is drawn for a single value', () => {
    expect(chartFigure({ title: 't', xName: 'x', lines: [{ ...line, y: [null, null, null, null] }] })).toBe(
      '',
    );
    expect(
      chartFigure({ title: 't', xName: 'x', lines: [{ ...line, x: [5], y: [0], dots: true }] }),
    ).not.toContain('NaN');
  });

  it('is saved with others in one file, with limits if it has any', () => {
    const svg = chartFile('run <1>', [
      { title: 'Loss', xName: 'step', lines: [line] },
      { title: 'Nothing', xName: 'step', lines: [] },
      { title: 'Accuracy', xName: 'step', lines: [{ ...line, y: [10, 20, 30, 50] }], bounds: [0, 100] },
    ]);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg.match(/<path /g)).toHaveLength(2);
    expect(svg).not.toContain('Nothing');
    expect(svg).toContain('run &lt;1&gt;');
    expect(svg).toContain('>100</text>');
    expect(svg).not.toContain('NaN');
  });
});
