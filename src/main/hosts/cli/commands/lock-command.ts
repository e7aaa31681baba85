/**
 * `ringlab lock LAB [--dry-run]`: solves the conda environment of a lab on its nodes and stores the exact packages
 * with it.
 */
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { printPlans } from './prepare-command.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { phrase } from '../../../i18n/index.ts';

/** Prints one JSON object a line for each kind of node; in a dry run the commands. 1 where a dry run is impossible. */
export async function lockCommand(
  lab: LabDocument,
  options: SessionOptions,
  dryRun: boolean,
  print: (line: string) => void,
): Promise<number> {
  if (lab.experiment.runtime?.type !== 'conda') {
    const problem = phrase('reasons.noConda');
    throw new RinglabError('bad_request', { path: 'experiment.runtime', problem }, { where: lab.name });
  }
  return await withSession(options, async ({ api, concerns }) => {
    concerns(lab.id);
    if (dryRun) return printPlans(await api.call('provision.plan', { lab, of: 'locking' }), print);
    for (const lock of await api.call('provision.lock', { lab })) print(JSON.stringify(lock));
    return 0;
  });
}
