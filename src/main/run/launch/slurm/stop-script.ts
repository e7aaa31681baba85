/** Shell text that asks the ranks of a job to stop, once: a second SIGTERM ends a trainer before it has saved (native/PROTOCOL.md). */
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import { shellQuote } from '../../../ssh/index.ts';

/**
 * For the login node. Which processes had the signal is noted in the run's folder, for another Ringlab, or where the answer is lost; a
 * job that Slurm starts again has others. Exits with 4 where no rank runs yet: Slurm signals steps, and says nothing where there is none.
 */
export function stopScript(id: string, runFolder: string): string {
  const pids = `${shellQuote(runFolder)}/rank-*/pid`;
  const mark = shellQuote(`${runFolder}/signalled-${id}`);
  return `${withoutFilters}
scancel --state=PENDING ${id}
grep -qsxFf ${mark} ${pids} && exit 0
known=$(cat ${pids} 2>/dev/null)
scancel --signal=TERM ${id} || exit 1
[ -n "$known" ] || exit 4
( printf '%s\\n' "$known" >${mark} ) 2>/dev/null
exit 0
`;
}
