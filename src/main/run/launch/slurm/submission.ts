/** Submits a run's job with `sbatch`: once, also where the connection breaks or the controller is too slow to answer. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { Line } from '../../../../shared/base/phrase.ts';
import { againFile, jobName } from '../../../../shared/lab/slurm-script.ts';
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

/** Exit codes of the submitting script. */
const refused = 3;
/** Slurm may have taken the job. */
const unanswered = 5;
const maxTries = 4;
/** Seconds for one command of Slurm's, and for all that an earlier try, whose connection broke, may still have to do. */
const [queuePatience, submitPatience] = [20, 50];
const turnPatience = 2 * queuePatience + submitPatience;
/** For both, and for writing the files. */
const timeoutMs = (2 * turnPatience + 20) * 1000;
/** For sed: the number that `sbatch --parsable` prints, before a cluster's name; a site's own `sbatch` says more before, or in Slurm's words. */
const jobNumber =
  's/^\\([1-9][0-9]*\\)$/\\1/p; s/^\\([1-9][0-9]*\\);.*/\\1/p; s/^Submitted batch job \\([1-9][0-9]*\\).*/\\1/p';
/** What `sbatch` says where it did not get an answer, which does not tell whether the job was taken. */
const noAnswerWords =
  'timed out|Unable to contact|Zero Bytes were transmitted|Communication connection failure|Transport endpoint|Connection reset|in standby mode';

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
 * In the run's folder: waits until no earlier script submits a job of this run. A broken connection does not end one, nor does a
 * signal to its shell end its `sbatch`, which holds the lock, too. Where the file system has no locks, it is given its time.
 */
const takeTurn = (asked: string): string => `exec 9>>.submission.lock || exit 1
timeout ${turnPatience} flock 9 2>/dev/null
case $? in
  0) ;;
  # A lock that nobody holds, either: a home on NFS may not answer.
  124)
    if [ -e ${asked} ] || [ -n "$unknown" ]; then
      echo 'an earlier sbatch of this run has not ended' >&2; exit ${unanswered}
    fi ;;
  *) [ ! -e ${asked} ] || sleep ${turnPatience} ;;
esac
# In a home on NFS what another login node has just made shows when the folder is read anew.
ls -a . >/dev/null 2>&1
`;

/**
 * Prints the job's number. A job that an earlier try submitted has its name; only where the queue answers that there is none,
 * another is submitted. An earlier attempt's job whose number never arrived is cancelled: it would write in the same folders.
 */
function submitScript({ runFolder, runId, attempt, job, before }: Submitted, after: string): string {
  const file = `job-${attempt}`;
  const asked = `${file}.asked`;
  const said = `${file}.said`;
  const user = '--user="$(id -un)"';
  const earlier = Array.from({ length: attempt - 1 }, (_, index) => index + 1).slice(-5);
  const unknown = earlier.map(
    (one) => `[ ! -e job-${one}.asked ] || [ -s job-${one} ] || unknown="$unknown ${jobName(runId, one)}"\n`,
  );
  const taken = `[ -s ${file} ] && { cat ${file}; exit 0; }\n`;
  return `cd ${shellQuote(runFolder)} || exit 1
${taken}unknown=
${unknown.join('')}${takeTurn(asked)}${taken}tried=; [ ! -e ${asked} ] || tried=1
: >${asked}
rm -f ${againFile(attempt)}
${before}${putFile(`${file}.sh`, job)}${withoutFilters}
${withoutOverrides(job)}
for name in $unknown; do
  timeout ${queuePatience} scancel --quiet ${user} --name="$name" 2>/dev/null &
done
wait
id=
if [ -n "$tried" ]; then
  found=$(timeout ${queuePatience} squeue --noheader ${inAllPartitions} ${user} --name=${jobName(runId, attempt)} --format=%A 2>${said}) || { cat ${said} >&2; exit ${unanswered}; }
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
  const reason = reasonOf(detail) || phrase('printedNothing');
  return new RinglabError('job_refused', { cluster, reason }, { where: cluster, detail });
}

export const commandFailed = (result: ExecResult, command: Line, cluster: string): RinglabError =>
  new RinglabError(
    'command_failed',
    { code: result.code ?? -1, command },
    { where: cluster, detail: lastWords(result) },
  );

/** The line that says why, without the program's name. */
const reasonOf = (said: string): string =>
  (said.split('\n').findLast((line) => /error:/.test(line)) ?? said)
    .replace(/^.*error:\s*/, '')
    .slice(0, 300);
