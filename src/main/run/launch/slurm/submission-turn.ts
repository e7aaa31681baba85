/** Shell text by which the scripts that submit and cancel a run's jobs come one after the other, in the run's folder. Pure. */
import { jobName } from '../../../../shared/lab/slurm-script.ts';

/** Seconds for one command of Slurm's, and for all that an earlier script, whose connection broke, may still have to do. */
export const [queuePatience, submitPatience] = [20, 50];
export const turnPatience = 2 * queuePatience + submitPatience;

/** Exit code of a script: Slurm may have taken the job, or may not have ended it. */
export const unanswered = 5;

/** What Slurm's commands say where they did not get an answer, which leaves open whether something was done. */
export const noAnswerWords =
  'timed out|Unable to contact|Zero Bytes were transmitted|Communication connection failure|Transport endpoint|Connection reset|in standby mode';

/** For `squeue` and `scancel`. */
export const ownJobs = '--user="$(id -un)"';

/** There while a job of this attempt may be in the cluster: from before it is asked for. */
export const askedFile = (attempt: number | string): string => `job-${attempt}.asked`;

/**
 * Waits until no other script submits or cancels a job of this run. A broken connection does not end one, nor does a signal to its shell
 * end its `sbatch`, which holds the lock, too. Where the file system has no locks, it is given its time.
 */
export const takeTurn = `has_open() {
  for asked in ${askedFile('*')}; do
    [ -e "$asked" ] && [ ! -s "\${asked%.asked}" ] && return 0
  done
  return 1
}
exec 9>>.submission.lock || exit 1
timeout ${turnPatience} flock 9 2>/dev/null
case $? in
  0) ;;
  # A lock that nobody holds, either: a home on NFS may not answer.
  124)
    if has_open; then echo 'an earlier sbatch of this run has not ended' >&2; exit ${unanswered}; fi ;;
  *) ! has_open || sleep ${turnPatience} ;;
esac
# In a home on NFS what another login node has just made shows when the folder is read anew.
ls -a . >/dev/null 2>&1
`;

/**
 * In its turn: cancels the jobs of attempts by their names, also of those whose number is known, as the app may never have had it. One
 * whose number never came may still be on its way to the controller, and is cancelled again the next time.
 * @param which a shell's condition on `$number`, the attempt
 */
export const cancelAsked = (runId: string, which: string): string => `pids=
for asked in ${askedFile('*')}; do
  number=\${asked#job-} number=\${number%.asked}
  [ -e "$asked" ] && ${which} || continue
  (
    said=$(timeout ${queuePatience} scancel --quiet ${ownJobs} --name="${jobName(runId, '$number')}" 2>&1)
    [ $? -ne 124 ] || exit 1
    if printf '%s\\n' "$said" | grep -E '${noAnswerWords}' >&2; then exit 1; fi
    [ ! -s "job-$number" ] || rm -f "$asked"
  ) &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid" || exit ${unanswered}; done
`;
