/**
 * Lines of the `sbatch` script where compute nodes do not share the run's folder: each waits for its copy, and the job ends when what
 * the ranks wrote is on the login node. Files in the run's folder on a compute node are the protocol between the job and the
 * staging process on the login node, which reaches them by job steps. Pure.
 */

/** In the run's folder on a compute node; TOKEN names one start of a job: its number and how often Slurm has restarted it. */
export const stagingFiles = {
  /** The token of the start that wants its files. */
  wanted: '.wanted',
  /** Followed by the token: the files are there. */
  staged: '.staged-',
  /** Followed by the token: the ranks have ended, and nothing more is written. */
  ended: '.ended-',
  /** Followed by the token: everything is on the login node, and may be removed. */
  brought: '.brought-',
} as const;

/** In the run's folder on the login node, while the job of an attempt may run; no copy has it. */
export const lockFile = (attempt: number): string => `.stage-${attempt}.lock`;

/**
 * Holds where a compute node sees the login node's own folder, since it is the same machine or both share it: nothing is copied
 * there, and nothing removed. @param run shell text for the run's folder
 */
export const isOriginal = (run: string): string => `ls ${run}/.stage-*.lock >/dev/null 2>&1`;

/** Begins a line of the staging process's output that says why nothing could be copied. */
export const notCopiedMark = 'ringlab: not copied:';

/** Waits for a process whose id is in one variable; its exit code is in the other then. A signal to the shell ends `wait` early. */
export const waitLines = (process: string, code: string): string[] => [
  'while :; do',
  `  wait "$${process}"; ${code}=$?`,
  '  # A signal to this shell ends wait early.',
  `  [ "$${code}" -gt 128 ] && kill -0 "$${process}" 2>/dev/null && continue`,
  '  break',
  'done',
];

/** Seconds for which a job waits for its files, and afterwards until they have been taken. */
const patience = 1800;

/**
 * On a local disk that anyone may write another user may have made the folder first.
 * @param otherwise shell text after the message
 */
export const ownFolder = (folder: string, otherwise = 'exit 1'): string =>
  `mkdir -p -m 700 ${folder} && [ -O ${folder} ] && [ ! -L ${folder} ] || { echo "${notCopiedMark} ${folder} on $(hostname) is not yours" >&2; ${otherwise}; }`;

/** The staging process finds it, too, and has the words taken to the login node; it may not be there. */
const afterAWhile = 'sleep 120; ';

/** At the script's beginning: on its node there is no folder yet. */
export const beginLines = (folder: string): string[] => [
  '# The compute nodes share no folder: this one’s copies come by sbcast, and what the ranks write is taken back.',
  ownFolder(folder, `${afterAWhile}exit 1`),
  'RINGLAB_RUN=$SLURM_SUBMIT_DIR RINGLAB_START=$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}',
  'mkdir -p "$RINGLAB_RUN" && cd "$RINGLAB_RUN" || exit 1',
  'exec >>"slurm-$SLURM_JOB_ID.out" 2>&1',
  'export RINGLAB_START',
];

/** The other ranks would wait for this one. */
const endJob = 'scancel --signal=TERM "$SLURM_JOB_ID"; exit 94';

/** What each task does before its rank starts; in single quotes. */
export const stagedTaskLine = (folder: string): string =>
  `${ownFolder(folder, `${afterAWhile}${endJob}`)}; mkdir -p "$RINGLAB_RUN" && cd "$RINGLAB_RUN" || exit 94; ` +
  `echo "$RINGLAB_START" >".wanted.$SLURM_PROCID" && mv -f ".wanted.$SLURM_PROCID" ${stagingFiles.wanted} || exit 94; ` +
  `tries=0; until [ -e "${stagingFiles.staged}$RINGLAB_START" ]; do tries=$((tries + 1)); ` +
  `[ "$tries" -lt ${patience * 5} ] || { echo "${notCopiedMark} $(hostname) waited ${patience} s" >&2; ${endJob}; }; sleep 0.2; done; ` +
  'exec sh "rank-$SLURM_PROCID/task.sh"';

/**
 * On each node when the ranks have ended: waits until its files have been taken, and removes them with what no other job uses.
 * Ends with 9 where one of its ranks did not end as `asked` matches in exit.json.
 */
const lastTask = (folder: string, asked: string): string =>
  `trap "" HUP INT TERM; cd "$RINGLAB_RUN" && [ -e "${stagingFiles.staged}$RINGLAB_START" ] || exit 0; ` +
  `: >"${stagingFiles.ended}$RINGLAB_START"; tries=0; ` +
  `until [ -e "${stagingFiles.brought}$RINGLAB_START" ]; do tries=$((tries + 1)); ` +
  `[ "$tries" -lt ${patience} ] || { echo "nobody took $RINGLAB_RUN from $(hostname): it is left there" >&2; exit 1; }; sleep 1; done; ` +
  `code=0; for ended in rank-*/exit.json; do grep -Eq "${asked.replaceAll('"', String.raw`\"`)}" "$ended" 2>/dev/null || code=9; done; ` +
  `${isOriginal('"$RINGLAB_RUN"')} || { cd ${folder} && rm -rf "$RINGLAB_RUN" && rmdir .ringlab/runs 2>/dev/null && rm -rf .ringlab; }; exit $code`;

/**
 * After the ranks. `again` becomes `no` where one did not end as `asked` matches, or nobody took its files.
 * @param parts nodes of each part of the job
 */
export function endLines(folder: string, parts: readonly number[], asked: string): string[] {
  const task = lastTask(folder, asked);
  const steps = parts.map(
    (nodes, part) =>
      `srun --overlap --chdir=/ --kill-on-bad-exit=0 --gres=none --nodes=${nodes} --ntasks=${nodes} --ntasks-per-node=1 --cpus-per-task=1 ${parts.length === 1 ? '' : `--het-group=${part} `}sh -c '${task}' &`,
  );
  return [
    '# What they wrote is taken before this job ends.',
    'steps=',
    ...steps.flatMap((step) => [step, 'steps="$steps $!"']),
    'for step in $steps; do',
    ...waitLines('step', 'ended').map((line) => `  ${line}`),
    '  [ "$ended" -eq 0 ] || again=no',
    'done',
  ];
}
