/** `ringlab check LAB --cluster`: asks the lab's cluster what it offers, and says what of the lab does not fit it. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabApi } from '../../../../shared/contract/api.ts';
import { checkLab, hasErrors } from '../../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { clusterOf } from '../../../../shared/lab/reached.ts';
import { kubernetesMisfits } from '../../../../shared/node/kubernetes-fit.ts';
import { describeMisfit, type Misfit } from '../../../../shared/node/misfit.ts';
import { slurmMisfits } from '../../../../shared/node/slurm-fit.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { phrase } from '../../../i18n/index.ts';
import { language } from '../speak.ts';
import { issueLine } from './check-command.ts';

interface Compared {
  readonly misfits: readonly Misfit[];
  /** What the cluster offers. */
  readonly cluster: object;
}

async function compare(api: LabApi, lab: LabDocument): Promise<Compared> {
  const target = clusterOf(lab);
  switch (target?.type) {
    case 'slurm': {
      const cluster = await api.call('slurm.facts', { lab });
      return { cluster, misfits: slurmMisfits(lab, target, cluster) };
    }
    case 'kubernetes': {
      const cluster = await api.call('kubernetes.facts', { lab });
      return { cluster, misfits: kubernetesMisfits(lab, cluster) };
    }
    case undefined:
      throw new RinglabError('bad_request', {
        path: 'experiment.where',
        problem: phrase('reasons.job.noCluster'),
      });
  }
}

/** 0 where the lab fits, 2 where it does not. Prints what the cluster offers as one JSON object. */
export async function clusterCommand(lab: LabDocument, options: SessionOptions): Promise<number> {
  const issues = checkLab(lab);
  for (const issue of issues) process.stderr.write(`${issueLine(issue)}\n`);
  if (hasErrors(issues)) return 2;
  return await withSession(options, async ({ api, concerns }) => {
    concerns(lab.id);
    const { misfits, cluster } = await compare(api, lab);
    for (const misfit of misfits) process.stderr.write(`${describeMisfit(misfit, language)}\n`);
    process.stdout.write(
      `${JSON.stringify({ lab: lab.name, ok: misfits.length === 0, misfits, cluster })}\n`,
    );
    return misfits.length === 0 ? 0 : 2;
  });
}
