import { describe, expect, it } from 'vitest';
import { nearest, readCommandLine, UsageError } from './command-line.ts';
import { commands } from './help.ts';

const refusal = (...words: string[]): string => {
  try {
    readCommandLine(words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
};

describe('a command line', () => {
  it('is a command, what follows it, and its options in any order; behind -- everything is the script’s', () => {
    const line = readCommandLine([
      '--out',
      'o',
      'run',
      'a.lab.json',
      '--chart',
      '-y',
      '--',
      '--out',
      'x',
      '--',
    ]);
    expect(line).toMatchObject({
      positionals: ['run', 'a.lab.json'],
      values: { out: 'o', chart: true, yes: true, queue: false, 'accept-new-host-keys': false },
      args: ['--out', 'x', '--'],
    });
    expect(readCommandLine(['rejoin', 'r', '--replace', 'a=b', '--replace=c=d']).values.replace).toEqual([
      'a=b',
      'c=d',
    ]);
    expect(readCommandLine(['run', 'a', '--out=-x']).values.out).toBe('-x');
  });

  it('an option of another command is refused, not passed over: --dry-run must not run a lab', () => {
    expect(refusal('run', 'a.lab.json', '--dry-run')).toMatch(
      /“ringlab run” has no option --dry-run; .*prepare.*lock/,
    );
    expect(refusal('run', 'a.lab.json', '--sync', 'powersgd:2')).toContain('estimate');
    expect(refusal('stop', 'r', '--out', 'd')).toContain('“ringlab stop” has no option --out');
    expect(refusal('prepare', 'a.lab.json', '--json')).toContain('--json');
    expect(refusal('export', 'r', '--out', 'd', '--slurm', '--claim', 'c')).toContain('--kubernetes');
    // Their answer is JSON anyway.
    for (const command of ['check', 'estimate', 'run', 'stop', 'runs', 'labs', 'export'])
      expect(refusal(command, 'a', '--json'), command).toBe('');
    for (const command of Object.keys(commands))
      expect(refusal(command, '--data', 'd', '--yes', '--own-files', '--help'), command).toBe('');
  });

  it('an unknown option is named, with the one that was probably meant', () => {
    expect(refusal('runs', '--josn')).toBe('unknown option --josn; did you mean --json?');
    expect(refusal('run', 'a', '--on-lost', 'stop')).toContain('did you mean --on-lost-rank?');
    expect(refusal('run', 'a', '--frobnicate')).toBe('unknown option --frobnicate');
    expect(refusal('run', 'a', '-x')).toBe('unknown option -x');
    // Not one that the command would refuse.
    expect(refusal('doctor', '--josn')).toBe('unknown option --josn');
    expect(refusal('run', '--script', 't.py', '--nodes', 'a', '--epochs', '3')).toMatch(
      /^unknown option --epochs; .*script.* -- /,
    );
  });

  it('a value that is missing or empty is reported, and one where none belongs', () => {
    expect(refusal('run', 'a', '--out')).toContain('--out needs a value');
    expect(refusal('run', 'a', '--out', '--chart')).toContain('--out=--chart');
    // An unset variable must not make the current folder the place of results.
    for (const option of ['--out=', '--data=']) expect(refusal('run', 'a', option)).toContain('empty');
    expect(refusal('rejoin', 'r', '--replace', '')).toContain('empty');
    expect(refusal('run', 'a', '--chart=no')).toContain('--chart takes no value');
  });

  it('an unknown command is refused, after help and before --help, too', () => {
    expect(refusal('rnus')).toMatch(/^unknown command “rnus”; did you mean “runs”\?/);
    for (const words of [
      ['help', 'nothing'],
      ['nothing', '--help'],
      ['nothing', '--josn'],
    ])
      expect(refusal(...words)).toMatch(/^unknown command “nothing”; known: run, /);
    for (const words of [[], ['--help'], ['help'], ['help', 'run'], ['--version'], ['run', '-h']])
      expect(refusal(...words)).toBe('');
  });
});

describe('the nearest word', () => {
  it.each([
    ['rnu', 'run'],
    ['lits', 'list'],
    ['resum', 'resume'],
    ['RUN', 'run'],
    ['xyz', undefined],
    ['r', undefined],
    ['', undefined],
  ])('%s: %s', (word, near) => {
    expect(nearest(word, ['run', 'list', 'resume', 'stop'])).toBe(near);
  });
});
