import { expect, it } from 'vitest';
import { plain } from '../../../shared/base/phrase.ts';
import { defaultPlacement, emptyLab, type LabNode } from '../../../shared/lab/lab.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { diagnosisRows, labDrawing, linkRows } from './report-lab.ts';

const node = (id: string, name: string, x: number): LabNode => ({
  ...{ id, name, kind: 'cpu', position: { x, y: -40 }, placement: defaultPlacement('cpu') },
  access: { type: 'local' },
});
const lab = {
  ...emptyLab('l', 'L'),
  nodes: [node('a', 'A <b>&', 0), node('b', 'B', 400)],
  links: [{ id: 'k', ends: ['a', 'b'] as [string, string], bandwidthMbps: 10, delayMs: 30, lossPercent: 0 }],
};

it('the report’s drawing shows each node and link within its frame, as text', () => {
  const svg = labDrawing(lab, 'Lab "as drawn"');
  expect(svg).toContain('A &lt;b&gt;&amp;');
  expect(svg).not.toContain('<b>');
  expect(svg).toContain('aria-label="Lab &quot;as drawn&quot;"');
  expect(svg).toContain('viewBox="-40 -80 660 180"');
  expect(svg).toContain('>10 Mbps · 30 ms<');
  expect(labDrawing({ ...lab, nodes: [], links: [] }, 'Lab')).toBe('');
  expect(linkRows(lab)).toEqual([['A <b>& – B', '10 Mbps · 30 ms']]);
});

const rankRecord = (rank: number): RankRecord => ({
  ...{ rank, nodeId: 'a', nodeName: 'A', localRank: 0, state: 'failed', argv: [], env: {}, directory: '/r' },
});

it('the report says of each failed rank the likeliest cause and its remedy', () => {
  const diagnoses = [{ code: 'x', cause: plain('Full disk.'), remedy: plain('Free space.'), line: 'ENOSPC' }];
  const run = runRecord('r', {
    ranks: [rankRecord(0), { ...rankRecord(1), nodeName: 'B', diagnoses }],
  });
  expect(diagnosisRows(run, 'en')).toEqual([['Rank 1 · B', 'Full disk.\nFree space.']]);
});
