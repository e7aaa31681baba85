/** Parts of the job's script, run by a real shell. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { previewScript } from '../../../../shared/lab/slurm-script.ts';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';

const lab = emptyLab('l', 'Lab');
const slurm = { ...newSlurmTarget(), requeue: true, timeLimitMinutes: 60 };

/** What `exit.json` says of each rank -> whether the script puts the job back into the queue. */
function requeues(exits: readonly string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-requeue-'));
  const lines = previewScript(lab, slurm).split('\n');
  const from = lines.findIndex((line) => line.startsWith('# All ranks stopped'));
  const to = lines.findIndex((line) => line.includes('scontrol requeue'));
  const script = ['again=yes', ...lines.slice(from, to), 'echo requeued', 'fi'].join('\n');
  exits.forEach((text, rank) => {
    mkdirSync(join(folder, `rank-${rank}`));
    writeFileSync(join(folder, `rank-${rank}`, 'exit.json'), text);
  });
  try {
    return execFileSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8' }) === 'requeued\n';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('before the time limit', () => {
  const exit = (how: string): string => `{${how},"t":9,"attempt":1,"oom":false}\n`;
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
