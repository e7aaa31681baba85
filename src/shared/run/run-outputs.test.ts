/** Tests of what is read from the lines of a run's ranks beside the trainer's own. */
import { describe, expect, it } from 'vitest';
import { isOutputRef, outputOf, OutputPath, outputRef, outputsOf, scalarsOf } from './run-outputs.ts';

const entry = (source: string, field: string, points = 3, kind = 'scalar') => ({
  source,
  kind,
  field,
  points,
  steps: points,
  epochs: 0,
});
const point = (rank: number, seq: number, kind: string, fields: object) => ({
  source: `rank-${rank}`,
  line: { v: 1 as const, seq, t: 100 + seq, kind, ...fields },
});

describe('scalars of a catalogue', () => {
  it('are in natural order, each with the ranks that have it', () => {
    const found = scalarsOf([
      entry('rank-10', 'values.layer10/norm'),
      entry('rank-2', 'values.layer10/norm', 5),
      entry('rank-0', 'values.layer2/norm'),
      entry('rank-0', 'loss', 3, 'step'),
      entry('monitor-n1', 'values.cpu'),
      entry('rank-0', 'values.never', 0),
      entry('rank-0', 'values.'),
    ]);
    expect(found.map(({ name }) => name)).toEqual(['layer2/norm', 'layer10/norm']);
    expect(found[1]?.ranks).toEqual([
      { rank: 2, points: 5, steps: 5, epochs: 0 },
      { rank: 10, points: 3, steps: 3, epochs: 0 },
    ]);
  });
});

describe('outputs of lines', () => {
  it('keep the newest state of each file, newest first', () => {
    const { files } = outputsOf(
      [],
      [
        point(0, 1, 'file', { path: 'out/a.pt', bytes: 10, modified: 50 }),
        point(0, 2, 'file', { path: 'out/b.pt', bytes: 20, modified: 60 }),
        point(0, 3, 'file', { path: 'out/a.pt', bytes: 30, modified: 70 }),
        point(1, 3, 'file', { path: 'out/a.pt', bytes: 5, modified: 10 }),
      ],
    );
    expect(files.map(({ rank, path, bytes }) => [rank, path, bytes])).toEqual([
      [0, 'out/a.pt', 30],
      [0, 'out/b.pt', 20],
      [1, 'out/a.pt', 5],
    ]);
  });

  it('leave out files that the script has removed, until it writes them again', () => {
    const lines = [
      point(0, 1, 'file', { path: 'a.ckpt', bytes: 10, modified: 50 }),
      point(1, 2, 'file', { path: 'a.ckpt', bytes: 5, modified: 60 }),
      point(0, 3, 'file', { path: 'a.ckpt', gone: true }),
    ];
    expect(outputsOf([], lines).files.map(({ rank }) => rank)).toEqual([1]);
    const again = point(0, 4, 'file', { path: 'a.ckpt', bytes: 11, modified: 70 });
    expect(outputsOf([], [...lines, again]).files.map(({ rank, bytes }) => [rank, bytes])).toEqual([
      [0, 11],
      [1, 5],
    ]);
  });

  it.each(['/etc/passwd', '../x.pt', 'a/../../x.pt', 'a//b.pt', 'a\nb.pt', 'a\\b.pt', '', 'x'.repeat(1001)])(
    'refuse the path %j, which a node could send',
    (path) => {
      expect(OutputPath.safeParse(path).success).toBe(false);
      expect(outputsOf([], [point(0, 1, 'file', { path, bytes: 1, modified: 1 })]).files).toEqual([]);
    },
  );

  it('have each problem once, as one line of text', () => {
    const { problems } = outputsOf(
      [],
      [
        point(0, 1, 'collect_problem', { file: 'runs/e', reason: 'a wrong\u001b[31m\nsum' }),
        point(0, 2, 'collect_problem', { file: 'runs/e', reason: 'a wrong\u001b[31m\nsum' }),
        point(0, 3, 'collect_problem', { file: 7, reason: 'x'.repeat(5000) }),
      ],
    );
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatchObject({ rank: 0, file: 'runs/e', reason: 'a wrong [31m sum' });
    expect(problems[1]?.reason).toHaveLength(1000);
  });

  it('take the progress of the lowest rank, and none where no number is known', () => {
    const lines = [
      point(1, 1, 'script_progress', { step: 9, steps: 10 }),
      point(0, 2, 'script_progress', { step: 4, steps: 10, remaining: 30 }),
      point(0, 3, 'script_progress', { step: 5, steps: 'NaN', epoch: -1, remaining: 25 }),
    ];
    expect(outputsOf([], lines).progress).toEqual({ t: 103, step: 5, remaining: 25 });
    expect(outputsOf([], [point(0, 1, 'script_progress', { steps: 10 })]).progress).toBeUndefined();
  });
});

it('a file of a rank has one name, which leads nowhere else', () => {
  const file = { rank: 12, path: 'checkpoints/rank-3/last one.ckpt' };
  expect(outputOf(outputRef(file))).toEqual(file);
  expect(isOutputRef(outputRef(file))).toBe(true);
  for (const name of [
    'rank-0',
    'rank-0/',
    'rank-0//etc/x',
    'rank-0/../x',
    'rank-x/a',
    'x/rank-0/a',
    'model_best.pth.tar',
  ])
    expect(isOutputRef(name)).toBe(false);
});
