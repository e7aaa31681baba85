/**
 * Asks a cluster whether it would take the lab's job (`sbatch --test-only`): before anything is installed for it. Shown in
 * the driver's row, which is the cluster's own matter.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import { slurmOf } from '../../../shared/lab/reached.ts';
import { previewScript } from '../../../shared/lab/slurm-script.ts';
import { refusalOf } from '../../../shared/node/slurm-refusal.ts';
import { withoutOverrides } from '../../../shared/node/slurm-variables.ts';
import { phrase } from '../../i18n/index.ts';
import { lastWords } from '../node/node-shell.ts';
import type { Step } from '../engine/step.ts';

/** Exit code where the login node has no Slurm. */
const noSlurm = 9;

/** `sbatch` says when and where the job would start, on standard error. */
const askScript = (script: string): string => `command -v sbatch >/dev/null || exit ${noSlurm}
sinfo --version
${withoutOverrides(script)}
sbatch --test-only 2>&1 <<'RINGLAB'
${script}RINGLAB
`;

const ask: Step['verify'] = async ({ shell, lab }) => {
  const slurm = slurmOf(lab);
  if (slurm === undefined) throw new RangeError('a lab of a cluster');
  const result = await shell.exec(askScript(previewScript(lab, slurm)), {
    label: 'sbatch --test-only',
    timeoutMs: 60_000,
  });
  const cluster = slurm.login.host;
  if (result.code === noSlurm)
    throw new RinglabError('job_refused', { cluster, reason: phrase('reasons.job.noSlurm') });
  const detail = lastWords(result);
  if (result.code !== 0) {
    const reason = refusalOf(detail) || phrase('printedNothing');
    throw new RinglabError('job_refused', { cluster, reason }, { detail });
  }
  const version = /^slurm\S* (\d[\w.-]{0,40})/m.exec(result.stdout)?.[1] ?? '';
  const would = /to start at (\S{1,40}) using \d+ processors on nodes (\S{1,200})/.exec(result.stdout);
  return would === null
    ? phrase('summaries.cluster.accepts', { version })
    : phrase('summaries.cluster.starts', { version, time: would[1] ?? '', nodes: would[2] ?? '' });
};

export const checkCluster: Step = {
  id: 'cluster',
  place: 'driver',
  check: ask,
  apply: () => Promise.resolve(),
  verify: ask,
};
