/** Parts of the job's script, run by a real shell. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { preemptedFile, previewScript } from '../../../../shared/lab/slurm-script.ts';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';

const lab = emptyLab('l', 'Lab');
const slurm = { ...newSlurmTarget(), requeue: true, timeLimitMinutes: 60 };

const lines = previewScript(lab, slurm).split('\n');
/** The script's lines from the one that begins with `first` to the one that has `last`, without it. */
const part = (first: string, last: string): string[] => {
  const from = lines.findIndex((line) => line.startsWith(first));
  return lines.slice(from, from + lines.slice(from).findIndex((line) => line.includes(last)));
};

/** What lines of the script print where `exit.json` says this of each rank. */
function prints(script: readonly string[], exits: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-requeue-'));
  exits.forEach((text, rank) => {
    mkdirSync(join(folder, `rank-${rank}`));
    writeFileSync(join(folder, `rank-${rank}`, 'exit.json'), text);
  });
  try {
    return execFileSync('/bin/sh', ['-c', script.join('\n')], { cwd: folder, encoding: 'utf8' }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether the script puts the job back into the queue. */
const requeues = (exits: readonly string[]): boolean =>
  prints(['again=yes', ...part('# All ranks stopped', 'scontrol requeue'), 'echo requeued', 'fi'], exits) ===
  'requeued';
const exit = (how: string): string => `{${how},"t":9,"attempt":1,"oom":false}\n`;

describe('before the time limit', () => {
  const [saved, bySignal] = [exit('"code":7,"signal":null'), exit('"code":null,"signal":15')];
  it('the job returns to the queue where every rank stopped as it was asked to, a script also by the signal', () => {
    expect(requeues([saved, saved])).toBe(true);
    expect(requeues([bySignal, exit('"code":143,"signal":null')])).toBe(true);
  });
  it.each([
    '"code":1,"signal":null',
    '"code":0,"signal":null',
    '"code":null,"signal":9',
    '"code":77,"signal":null',
  ])('it does not where one ended otherwise: %s', (how) => expect(requeues([saved, exit(how)])).toBe(false));
});

describe('a job that is preempted with a grace time, of which this shell hears nothing', () => {
  const asked = exit('"code":7,"signal":null');
  const at = 'PreemptEligibleTime=2026-11-30T06:07:08 PreemptTime=';
  /** @param before what the shell does first @param then what it does at last */
  const after = (script: readonly string[], preempted: string, before: readonly string[], then: string) =>
    prints(
      [
        `SLURM_JOB_ID=7 code=0 again=no; scontrol() { echo 'JobId=7 ${at}${preempted} SuspendTime=None'; }`,
        ...before,
        ...script,
        then,
      ],
      [asked, asked],
    );
  const time = '2026-11-30T06:07:15';
  it('returns to the queue, since its ranks have saved', () => {
    const requeued = (preempted: string, ...before: string[]): string =>
      after(part('# Preempted:', 'scontrol requeue'), preempted, before, 'echo requeued; fi');
    expect(requeued(time)).toBe('requeued');
    expect(requeued('None')).toBe('');
    // A user stopped it, in those seconds or where it had been suspended for another job before.
    expect(requeued(time, ': >signalled-7')).toBe('');
    expect(requeued(time, `echo '${exit('"code":1,"signal":null')}' >rank-0/exit.json`)).toBe('');
  });
  it('says so where it is not to be requeued', () => {
    const once = previewScript(lab, { ...slurm, requeue: false }).split('\n');
    const from = once.findIndex((line) => line.startsWith('# Preempted:'));
    const script = once.slice(
      from,
      once.findIndex((line) => line.startsWith('rm -f ')),
    );
    const left = (preempted: string, ...before: string[]): string =>
      after(script, preempted, before, 'ls preempted-* 2>/dev/null || :');
    expect(left(time)).toBe(preemptedFile('7'));
    expect(left('None')).toBe('');
    expect(left(time, `echo '${exit('"code":1,"signal":null')}' >rank-1/exit.json`)).toBe('');
  });
});

describe('the secrets of a job that Slurm may start again', () => {
  const left = (exits: readonly string[]): string =>
    prints(
      [
        'for folder in rank-*; do : >"$folder/secret-1"; done',
        ...part('well=yes', 'exit "$code"'),
        'ls rank-*/secret-1 2>/dev/null || :',
      ],
      exits,
    );
  const well = exit('"code":0,"signal":null');
  it('go once all ranks have ended well', () => expect(left([well, well])).toBe(''));
  // A step whose node failed ends with 0, too.
  it.each([
    ['lost its peers', exit('"code":4,"signal":null')],
    ['was preempted', exit('"code":7,"signal":null')],
    ['left no word', ''],
    ['ended in another attempt', '{"code":0,"signal":null,"t":9,"attempt":12,"oom":false}\n'],
  ])('stay where one %s', (_, how) => expect(left([well, how])).toBe('rank-0/secret-1\nrank-1/secret-1'));
});
