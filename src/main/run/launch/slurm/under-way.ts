/** Whether a job's submission is still under way, whose app has ended: its script goes on, and `sbatch` may be slow. */
import { jobName } from '../../../../shared/lab/slurm-script.ts';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import { shellQuote, type SshSession } from '../../../ssh/index.ts';
import type { SlurmController } from './controller.ts';
import { inAllPartitions } from './job-answers.ts';
import { askedFile, ownJobs, queuePatience, turnPatience } from './submission-turn.ts';

export interface Submitting {
  /** Absolute. */
  readonly runFolder: string;
  readonly runId: string;
  readonly attempt: number;
}

/** Minutes for which a submission may take, where no lock shows that it does. */
const patience = Math.ceil((2 * turnPatience) / 60);

/** Shell text that prints one line where the job was asked for and its number is not known yet. It starts nothing otherwise. */
export const underWayScript = ({
  runFolder,
  attempt,
}: Submitting): string => `if cd ${shellQuote(runFolder)} 2>/dev/null && [ ! -s job-${attempt} ] && [ -e ${askedFile(attempt)} ]; then
  if [ -n "$(find ${askedFile(attempt)} -mmin -${patience})" ]; then echo submitting
  else
    timeout 5 flock -n .submission.lock true 2>/dev/null
    case $? in 1) echo submitting ;; *) echo 'not answered' ;; esac
  fi
fi
`;

/** Writes the number of a job that Slurm took without an answer where the script would have. */
const findScript = ({
  runFolder,
  runId,
  attempt,
}: Submitting): string => `cd ${shellQuote(runFolder)} || exit 1
${withoutFilters}
found=$(timeout ${queuePatience} squeue --noheader ${inAllPartitions} ${ownJobs} --states=all --name=${jobName(runId, attempt)} --format=%A) || exit 1
id=$(printf '%s\\n' "$found" | sort -n | sed -n '/[0-9]/{p;q;}')
[ -n "$id" ] || { echo none; exit 0; }
printf '%s\\n' "$id" >job-${attempt}.tmp && mv -f job-${attempt}.tmp job-${attempt}
`;

/**
 * `absent` where nothing was submitted.
 * @param said what `underWayScript` printed, with other lines
 */
export async function submissionState(
  said: string,
  submitting: Submitting,
  controller: Pick<SlurmController, 'query'>,
  session: Pick<SshSession, 'exec'>,
  signal?: AbortSignal,
): Promise<'starting' | 'absent'> {
  if (/^submitting$/m.test(said)) return 'starting';
  if (!/^not answered$/m.test(said)) return 'absent';
  const limits = { signal, timeoutMs: (queuePatience + 10) * 1000, brief: true };
  const { code, stdout } = await controller.query(() => session.exec(findScript(submitting), limits), signal);
  return code === 0 && stdout.trim() === 'none' ? 'absent' : 'starting';
}
