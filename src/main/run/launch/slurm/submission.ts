/** Submits a run's job with `sbatch`: once, also where the connection breaks or the controller is too slow to answer. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { Line } from '../../../../shared/base/phrase.ts';
import { againFile, jobName } from '../../../../shared/lab/slurm-script.ts';
import { refusalOf } from '../../../../shared/node/slurm-refusal.ts';
import { withoutFilters, withoutOverrides } from '../../../../shared/node/slurm-variables.ts';
import type { Clock } from '../../../base/clock.ts';
import { phrase } from '../../../i18n/index.ts';
import {
  isConnectionLost,
  lastWords,
  shellQuote,
  type ExecResult,
  type SshSession,
} from '../../../ssh/index.ts';
import { putFile } from '../order-files.ts';
import { queryEvery } from './controller.ts';
import { inAllPartitions } from './job-answers.ts';
import { JobId } from './slurm-process.ts';
import {
  askedFile,
  cancelAsked,
  noAnswerWords,
  ownJobs,
  queuePatience,
  submitPatience,
  takeTurn,
  turnPatience,
  unanswered,
} from './submission-turn.ts';

export interface SubmissionOptions {
  /** For messages: the login node. */
  readonly cluster: string;
  readonly clock: Clock;
  /** To the login node. */
  session(): Promise<Pick<SshSession, 'exec'>>;
  /** Shell text that follows in the run's folder; the job's number is in `id`. */
  after(attempt: number): string;
}

interface Submitted {
  /** Absolute. */
  readonly runFolder: string;
  readonly runId: string;
  readonly attempt: number;
  /** The script that `sbatch` gets. */
  readonly job: string;
  /** Shell text before `sbatch`, in the run's folder. */
  readonly before: string;
}

interface Submission {
  /**
   * The job's number.
   * @throws job_refused, command_failed, connection_lost, command_timeout
   */
  submit(submitted: Submitted): Promise<string>;
}

/** Exit code of the submitting script. */
const refused = 3;
const maxTries = 4;
/** For both, and for writing the files. */
const timeoutMs = (2 * turnPatience + 20) * 1000;
/** For sed: the number that `sbatch --parsable` prints, before a cluster's name; a site's own `sbatch` says more before, or in Slurm's words. */
const jobNumber =
  's/^\\([1-9][0-9]*\\)$/\\1/p; s/^\\([1-9][0-9]*\\);.*/\\1/p; s/^Submitted batch job \\([1-9][0-9]*\\).*/\\1/p';

export function createSubmission({ cluster, clock, session, after }: SubmissionOptions): Submission {
  return {
    async submit(submitted) {
      for (let tries = 1; ; tries += 1) {
        const last = tries === maxTries;
        try {
          const { exec } = await session();
          const result = await exec(submitScript(submitted, after(submitted.attempt)), { timeoutMs });
          if (result.code === 0) return idOf(result, cluster);
          if (result.code === refused || (result.code === unanswered && last))
            throw jobRefused(result, cluster);
          if (result.code !== unanswered) throw commandFailed(result, 'sbatch', cluster);
        } catch (error) {
          if (!mayBeTaken(error) || last) throw error;
        }
        await clock.sleep(queryEvery);
      }
    },
  };
}

const mayBeTaken = (error: unknown): boolean =>
  isConnectionLost(error) || (error instanceof RinglabError && error.code === 'command_timeout');

/**
 * Prints the job's number. A job that an earlier try submitted has its name; only where the queue answers that there is none,
 * another is submitted. Jobs of earlier attempts are cancelled: they would write in the same folders.
 */
function submitScript({ runFolder, runId, attempt, job, before }: Submitted, after: string): string {
  const file = `job-${attempt}`;
  const asked = askedFile(attempt);
  const said = `${file}.said`;
  const taken = `[ -s ${file} ] && { cat ${file}; exit 0; }\n`;
  return `cd ${shellQuote(runFolder)} || exit 1
${taken}${takeTurn}${taken}${withoutFilters}
${cancelAsked(runId, `[ "$number" != ${attempt} ]`)}tried=; [ ! -e ${asked} ] || tried=1
: >${asked}
rm -f ${againFile(attempt)}
${before}${putFile(`${file}.sh`, job)}${withoutOverrides(job)}
id=
if [ -n "$tried" ]; then
  found=$(timeout ${queuePatience} squeue --noheader ${inAllPartitions} ${ownJobs} --name=${jobName(runId, attempt)} --format=%A 2>${said}) || { cat ${said} >&2; exit ${unanswered}; }
  id=$(printf '%s\\n' "$found" | sort -n | sed -n '/[0-9]/{p;q;}')
fi
if [ -z "$id" ]; then
  told=$(timeout ${submitPatience} sbatch --parsable --chdir="$PWD" ${file}.sh 2>${said}); code=$?
  cat ${said} >&2
  if [ "$code" -ne 0 ]; then
    [ "$code" -ne 124 ] || exit ${unanswered}
    grep -Eq '${noAnswerWords}' ${said} && exit ${unanswered}
    rm -f ${asked}
    exit ${refused}
  fi
  id=$(printf '%s\\n' "$told" | sed -n '${jobNumber}' | tail -n 1)
  [ -n "$id" ] || { printf '%s\\n' "$told" >&2; exit ${unanswered}; }
fi
printf '%s\\n' "$id" >${file}.tmp && mv -f ${file}.tmp ${file} && cat ${file}
# What is started now outlives this script.
exec 9>&-
${after}`;
}

function idOf(result: ExecResult, cluster: string): string {
  const { data } = JobId.safeParse(result.stdout.trim());
  if (data === undefined) throw commandFailed(result, 'sbatch', cluster);
  return data;
}

function jobRefused(result: ExecResult, cluster: string): RinglabError {
  const detail = lastWords(result);
  const reason = refusalOf(detail) || phrase('printedNothing');
  return new RinglabError('job_refused', { cluster, reason }, { where: cluster, detail });
}

export const commandFailed = (result: ExecResult, command: Line, cluster: string): RinglabError =>
  new RinglabError(
    'command_failed',
    { code: result.code ?? -1, command },
    { where: cluster, detail: lastWords(result) },
  );
