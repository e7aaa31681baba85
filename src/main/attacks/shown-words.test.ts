/**
 * Attack: text of a node, a lab or a server in a report, an exported chart or the window. It is shown as text, never
 * as mark-up, a link or a script.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeError } from '../../shared/i18n/error-texts.ts';
import { errorCodes } from '../../shared/base/errors.ts';
import { defaultPlacement, emptyLab } from '../../shared/lab/lab.ts';
import type { RankRecord, RunRecord } from '../../shared/run/run.ts';
import { runRecord } from '../store/testing/fixtures.ts';
import { chartFigure } from '../run/artifacts/chart-svg.ts';
import { writeReport } from '../run/artifacts/report.ts';

const evil = `"><img src=x onerror=alert(1)><script>alert(1)</script><a href="javascript:alert(1)">'&lt;`;
/** What the words would be where they were not escaped. */
const markUp = /<img|<script|<a\s|onerror=["']?alert\(1\)>/i;

const rank: RankRecord = {
  rank: 0,
  nodeId: 'a',
  nodeName: evil,
  localRank: 0,
  state: 'failed',
  argv: ['/home/x/ringlab-train', evil],
  env: { EVIL: evil },
  directory: `/home/${evil}`,
  error: {
    code: 'rank_failed',
    params: { rank: 0, node: evil, code: 1, said: evil, advice: evil },
    where: evil,
  },
  lastWords: [evil],
};
const lab = {
  ...emptyLab('lab', evil),
  nodes: [
    {
      id: 'a',
      name: evil,
      kind: 'cpu' as const,
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'local' as const },
    },
  ],
};
const run: RunRecord = runRecord('r', {
  name: evil,
  lab,
  state: 'failed',
  startedAt: 1_700_000_000,
  endedAt: 1_700_000_100,
  ranks: [rank],
  notes: evil,
  tags: [evil.slice(0, 40)],
  error: { code: 'node_nonsense', params: { what: evil }, where: evil, detail: evil },
  events: [{ t: 1_700_000_050, kind: 'lost', what: evil }],
});

describe('text of others', () => {
  it.each(['en', 'zh-CN'] as const)(
    'is plain text in a report (%s), which executes and loads nothing',
    async (language) => {
      const store = {
        series: () =>
          Promise.resolve([
            {
              key: { source: 'rank-0', kind: 'step', field: 'loss' },
              x: [0, 1],
              y: [1, 0.5],
              total: 2,
              newest: 1,
            },
          ]),
        lines: () => Promise.resolve([]),
        catalogue: () => Promise.resolve([]),
      };
      const html = await writeReport(store, run, language);
      expect(html).toContain('&lt;img');
      expect(html).not.toMatch(markUp);
      expect(html).toContain(`http-equiv="Content-Security-Policy" content="default-src 'none'`);
      expect(html).not.toMatch(/\b(src|href)=["'](https?:|\/\/|javascript:)/i);
    },
  );

  it('is plain text in a drawn chart', () => {
    const svg = chartFigure({
      title: evil,
      xName: evil,
      lines: [{ name: evil, colour: '#000000', x: [0, 1], y: [1, 2] }],
      marks: [{ x: 1, text: evil }],
    });
    expect(svg).not.toMatch(markUp);
  });

  it('is inserted into an error’s text once, and placeholders in it are not replaced', () => {
    const params = { what: '{code}{host}', host: 'secret', code: 'x', path: '{host}', reason: '{host}' };
    for (const code of errorCodes) {
      const { message } = describeError({ code, params }, 'en');
      if (message.includes('{')) expect(message).not.toContain('secretsecret');
    }
    expect(describeError({ code: 'node_nonsense', params }, 'en').message).toContain('{code}{host}');
  });

  it('never reaches the window as markup: React writes all text', () => {
    const root = fileURLToPath(new URL('../../renderer', import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !/\.(test|fixture)\./.test(name),
    );
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      expect([
        file,
        /dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|\.(inner|outer)HTML\s*=/.exec(text)?.[0],
      ]).toEqual([file, undefined]);
      // An address that is not ours could be `javascript:`.
      expect([file, /\bhref=\{/.exec(text)?.[0]]).toEqual([file, undefined]);
    }
  });
});
