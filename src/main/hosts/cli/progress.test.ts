import { afterEach, expect, test, vi } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { hangDoor, liveLines, openQuestion } from '../terminal-door.ts';
import { showProgress } from './progress.ts';

afterEach(() => vi.restoreAllMocks());

const ranksOn = (...names: string[]): RunRecord['ranks'] =>
  names.map((nodeName, rank) => ({
    rank,
    nodeId: `n${rank}`,
    nodeName,
    state: 'running',
    localRank: 0,
    argv: [],
    env: {},
    directory: '',
  }));

test('where a rank fails and the run starts again by itself, it says from where, and what is done again: once each', () => {
  let written = '';
  const run = runRecord('r', {});
  const progress = showProgress(run, (text) => (written += text));
  const changed = (run: RunRecord): void => progress.onEvent({ seq: 0, name: 'run.changed', data: { run } });
  changed(run);
  const lost = {
    attempt: 1,
    t: 1,
    step: 43,
    seq: 90,
    from: 40,
    by: 'node' as const,
    error: { code: 'rank_killed' as const, params: {}, where: 'N2' },
  };
  const resumed = { ...lost, resumed: { t: 2, step: 40, lostSteps: 3, lostSeconds: 11.6 } };
  written = '';
  for (const restarts of [[lost], [lost], [resumed], [resumed]]) changed({ ...run, recovery: { restarts } });
  expect(written).toBe(
    'N2 was lost: training restarts from step 40.\nTraining goes on from step 40; 12 s of work are done again.\n',
  );
});

test('where ranks are lost and the others go on, it says so once, and shows the validations of the rank that has rank 0’s part', () => {
  let written = '';
  const progress = showProgress(runRecord('r', {}), (text) => (written += text));
  const taken = (): string => {
    const text = written;
    written = '';
    return text;
  };
  const changed = (run: RunRecord): void => progress.onEvent({ seq: 0, name: 'run.changed', data: { run } });
  const points = (rank: number, ...lines: MetricLine[]): void =>
    progress.onEvent({
      seq: 0,
      name: 'run.points',
      data: { runId: 'r', points: lines.map((line) => ({ source: `rank-${rank}`, line })), truncated: false },
    });
  const evaluated = (epoch: number): MetricLine => ({
    v: 1,
    seq: epoch,
    t: epoch,
    kind: 'eval',
    epoch,
    top1: 50,
    top5: 90,
    loss: 1,
  });
  const ranks = ranksOn('anna', 'bert', 'cora');
  const run = runRecord('r', { ranks });
  changed(run);
  points(0, evaluated(0));
  expect(taken()).toMatch(/epoch 1: validation top-1 50/);
  points(1, evaluated(0));
  expect(taken()).toBe('');
  const fewer = { ...run, memberships: [{ generation: 1, t: 1, step: 9, ranks: [1, 2], lost: [0] }] };
  changed(fewer);
  changed({ ...fewer, step: 12 });
  expect(taken()).toBe('anna was lost: training goes on with 2 of 3 ranks.\n');
  points(1, evaluated(1));
  expect(taken()).toMatch(/epoch 2: validation top-1 50/);
  points(2, evaluated(1));
  expect(taken()).toBe('');
});

test('of a run that trains already, a rank has its node’s name and all epochs from its first line on, and what happened before is not said again', () => {
  let written = '';
  const run = runRecord('r', {
    epochs: 6,
    ranks: ranksOn('anna', 'bert'),
    memberships: [{ generation: 1, t: 1, step: 9, ranks: [1], lost: [0] }],
  });
  const progress = showProgress(run, (text) => (written += text));
  const line = { v: 1 as const, seq: 0, t: 0, epoch: 1, batch: 20, batches: 21 };
  progress.onEvent({
    seq: 0,
    name: 'run.points',
    data: {
      runId: 'r',
      points: [
        { source: 'rank-1', line: { ...line, kind: 'step', loss: 1.5, images_per_second: 40 } },
        { source: 'rank-1', line: { ...line, kind: 'epoch' } },
        {
          source: 'rank-1',
          line: { ...line, kind: 'error', message: 'port 8090 is in use', hint: 'stop it' },
        },
      ],
      truncated: false,
    },
  });
  expect(written).toMatch(
    /^rank 1 bert .* epoch 2\/6 step 21\/21 .*\nrank 1 error: port 8090 is in use; stop it\n$/,
  );
  progress.onEvent({ seq: 0, name: 'run.changed', data: { run: { ...run, state: 'running' } } });
  expect(written).not.toMatch(/lost/);
});

/** What a terminal of 80 columns and 24 rows shows, and how many rows have left it at its top. */
function terminal() {
  const [columns, rows] = [80, 24];
  const shown: string[] = Array.from({ length: rows }, () => '');
  let [row, column, wraps, scrolled] = [0, 0, true, 0];
  const down = (): void => {
    column = 0;
    row += 1;
    if (row < rows) return;
    row -= 1;
    scrolled += 1;
    shown.splice(0, 1);
    shown.push('');
  };
  const write = (text: string): void => {
    for (const [part, count, command] of text.matchAll(/\x1b\[\??(\d*)([A-Za-z])|[^]/gu)) {
      if (command === 'A') row = Math.max(0, row - Number(count));
      else if (command === 'K') shown[row] = '';
      else if (command === 'l' || command === 'h') wraps = command === 'h';
      else if (part === '\n') down();
      else {
        if (column === columns && wraps) down();
        column = Math.min(column, columns - 1);
        shown[row] = (shown[row] ?? '').slice(0, column) + part;
        column += 1;
      }
    }
  };
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    write(String(chunk));
    return true;
  });
  hangDoor([process.stderr]);
  return { echo: write, shown: () => shown.filter((line) => line !== ''), scrolled: () => scrolled };
}

test.each([
  { ranks: 3, lines: ['rank 0', 'rank 1', 'rank 2'] },
  { ranks: 40, lines: [...Array.from({ length: 22 }, (_, rank) => `rank ${rank}`), '… 18 more'] },
])(
  'on a terminal, progress of $ranks ranks is redrawn in its place, also where its lines are longer than a row',
  ({ ranks, lines }) => {
    const screen = terminal();
    const names = Array.from({ length: ranks }, (_, rank) => `machine-${rank}`);
    const run = runRecord('r', { epochs: 90, ranks: ranksOn(...names) });
    const progress = showProgress(run, (text) => process.stderr.write(text), liveLines);
    for (let batch = 100; batch < 105; batch += 1) {
      const line = {
        v: 1 as const,
        seq: batch,
        t: batch,
        kind: 'step',
        epoch: 3,
        batch,
        batches: 5005,
        loss: 2.3,
        images_per_second: 1234,
      };
      const points = names.map((_, rank) => ({ source: `rank-${rank}`, line }));
      progress.onEvent({ seq: 0, name: 'run.points', data: { runId: 'r', points, truncated: false } });
    }
    expect(screen.shown()).toEqual(
      lines.map((line) => expect.stringMatching(new RegExp(`^${line}\\b`)) as unknown),
    );
    expect(screen.shown()[0]).toContain('step 105/5005');
    expect(screen.scrolled()).toBe(0);
  },
);

test('the error that a run ends with is left to its command: it was said twice, with the last lines of the rank', () => {
  let written = '';
  const [first, second] = ranksOn('anna', 'bert');
  const failed = (rank: number, node: string) =>
    ({ code: 'rank_failed', params: { rank, node, code: 3 }, where: node }) as const;
  const ranks = [
    { ...first!, error: failed(0, 'anna'), lastWords: ['ValueError: 7'] },
    { ...second!, error: failed(1, 'bert'), lastWords: ['ValueError: 8'] },
  ];
  const run = runRecord('r', { ranks });
  const progress = showProgress(run, (text) => (written += text));
  const change = (run: RunRecord): void => progress.onEvent({ seq: 0, name: 'run.changed', data: { run } });
  change({ ...run, state: 'failed', error: { ...failed(0, 'anna'), detail: 'ValueError: 7' } });
  expect(written).toMatch(/^run r: failed\n/);
  expect(written).not.toContain('ValueError: 7');
  expect(written).toContain('ValueError: 8');
});

test('what is said at Ctrl+C stays on the screen, above the ranks’ lines: these were redrawn over it', () => {
  const screen = terminal();
  const run = runRecord('r', { epochs: 9, ranks: ranksOn('anna', 'bert') });
  const progress = showProgress(run, (text) => process.stderr.write(text), liveLines);
  const step = (batch: number): void => {
    const line = { v: 1 as const, seq: batch, t: batch, kind: 'step', epoch: 0, batch, batches: 9 };
    const points = [0, 1].map((rank) => ({ source: `rank-${rank}`, line }));
    progress.onEvent({ seq: 0, name: 'run.points', data: { runId: 'r', points, truncated: false } });
  };
  step(1);
  screen.echo('^C');
  progress.say('\nstopping after this step');
  step(2);
  step(3);
  expect(screen.shown()).toEqual([
    'stopping after this step',
    expect.stringMatching(/^rank 0 anna .* step 4\/9/),
    expect.stringMatching(/^rank 1 bert .* step 4\/9/),
  ]);
});

test('what others write stands above the ranks’ lines, which were drawn over it, and a question stands alone until it is answered', () => {
  const screen = terminal();
  const run = runRecord('r', { epochs: 9, ranks: ranksOn('anna') });
  const progress = showProgress(run, (text) => process.stderr.write(text), liveLines);
  const step = (batch: number): void => {
    const line = { v: 1 as const, seq: batch, t: batch, kind: 'step', epoch: 0, batch, batches: 9 };
    const points = [{ source: 'rank-0', line }];
    progress.onEvent({ seq: 0, name: 'run.points', data: { runId: 'r', points, truncated: false } });
  };
  const rank = (batch: number): unknown =>
    expect.stringMatching(new RegExp(`^rank 0 anna .* step ${String(batch)}/9`));
  step(1);
  process.stderr.write('anna: the connection was lost\nRetrying in 2 s.\n');
  step(2);
  const before = ['anna: the connection was lost', 'Retrying in 2 s.'];
  expect(screen.shown()).toEqual([...before, rank(3)]);
  const close = openQuestion();
  process.stderr.write('anna (gpu.lab): Code: ');
  step(3);
  screen.echo('123456');
  step(4);
  expect(screen.shown()).toEqual([...before, 'anna (gpu.lab): Code: 123456']);
  process.stderr.write('\n');
  close();
  step(5);
  progress.end();
  process.stderr.write('Done.\n');
  expect(screen.shown()).toEqual([...before, 'anna (gpu.lab): Code: 123456', rank(6), 'Done.']);
});
