/** `ringlab check LAB --cluster`: asks the lab's Slurm cluster what it offers, and says what of the lab does not fit it. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { checkLab, hasErrors } from '../../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { slurmOf } from '../../../../shared/lab/reached.ts';
import { describeMisfit, slurmMisfits } from '../../../../shared/node/slurm-fit.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { phrase } from '../../../i18n/index.ts';
import { language } from '../speak.ts';
import { issueLine } from './check-command.ts';

/** 0 where the lab fits, 2 where it does not. Prints what the cluster offers as one JSON object. */
export async function clusterCommand(lab: LabDocument, options: SessionOptions): Promise<number> {
  const slurm = slurmOf(lab);
  if (slurm === undefined)
    throw new RinglabError('bad_request', {
      path: 'experiment.where',
      problem: phrase('reasons.job.noCluster'),
    });
  const issues = checkLab(lab);
  for (const issue of issues) process.stderr.write(`${issueLine(issue)}\n`);
  if (hasErrors(issues)) return 2;
  return await withSession(options, async ({ api, concerns }) => {
    concerns(lab.id);
    const facts = await api.call('slurm.facts', { lab });
    const misfits = slurmMisfits(lab, slurm, facts);
    for (const misfit of misfits) process.stderr.write(`${describeMisfit(misfit, language)}\n`);
    process.stdout.write(
      `${JSON.stringify({ lab: lab.name, ok: misfits.length === 0, misfits, cluster: facts })}\n`,
    );
    return misfits.length === 0 ? 0 : 2;
  });
}
