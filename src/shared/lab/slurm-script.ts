/** Writes the exact `sbatch` script of a run: what the cluster is asked for, and how the ranks start there. Pure. */
import { drawnGpus, processesOn } from './lab-check.ts';
import { trainingNodes, type LabDocument, type LabNode } from './lab.ts';
import { inContainer, containerLines, moduleLines } from './slurm/slurm-environment.ts';
import { beginLines, endLines, stagedTaskLine, waitLines } from './slurm/slurm-staging.ts';
import type { SlurmTarget } from './where.ts';

/** Nodes that are asked for alike. Where drawn nodes differ, a job has several: Slurm's heterogeneous job. */
export interface JobPart {
  readonly nodes: number;
  readonly tasksPerNode: number;
  readonly cpusPerTask: number;
  readonly memoryMb: number;
  readonly gpus: number;
}

/** Consecutive drawn nodes that are alike are one part; an agent of torchrun is one task, whatever it starts. */
export function jobParts(lab: LabDocument): JobPart[] {
  const parts: JobPart[] = [];
  for (const node of trainingNodes(lab)) {
    const next = partOf(lab, node);
    const last = parts.at(-1);
    if (last !== undefined && JSON.stringify({ ...last, nodes: 1 }) === JSON.stringify(next))
      parts[parts.length - 1] = { ...last, nodes: last.nodes + 1 };
    else parts.push(next);
  }
  return parts;
}

function partOf(lab: LabDocument, node: LabNode): JobPart {
  const tasksPerNode = lab.experiment.script?.launch === 'torchrun' ? 1 : processesOn(lab, node);
  return {
    nodes: 1,
    tasksPerNode,
    cpusPerTask: Math.max(1, Math.floor(node.placement.cpus / tasksPerNode)),
    memoryMb: Math.ceil(node.placement.memoryGb * 1024),
    gpus: drawnGpus(node),
  };
}

/** Where the lab says that its data lies on every node. */
export const dataOnNodes = ({ experiment: { data, script } }: LabDocument): string | undefined =>
  data.type === 'folder' && script === undefined ? data.path : undefined;

/** Begins the line in the job's output that names a compute node without the run's folder, and the folder. */
export const unseenMark = 'ringlab: not shared:';

/** The name by which a start finds the job of an attempt again, should the connection break after submitting it. */
export const jobName = (runId: string, attempt: number | string): string => `ringlab-${runId}-${attempt}`;

/** Removed when the job of an attempt has ended for good; a requeued one needs them again. */
/** In the run's folder, for a shell. */
export const secretsOf = (attempt: number): string =>
  `rank-*/secret-${attempt} rank-*/secret-variables-${attempt}`;

/** In the run's folder once the job of an attempt has been requeued: its ranks then continue from the checkpoint. */
export const againFile = (attempt: number): string => `again-${attempt}`;

/**
 * Seconds before the time limit at which a job that is requeued saves: enough for a checkpoint on a slow disk, and not
 * most of a short job. Slurm may signal a minute earlier.
 */
const saveSeconds = ({ timeLimitMinutes }: SlurmTarget): number =>
  timeLimitMinutes === undefined ? 120 : Math.min(120, timeLimitMinutes * 15);

/**
 * A folder that was just written may take a network file system some seconds to show. A node that never shows it ends the
 * job: the other ranks would wait for its own.
 */
const taskLine =
  'tries=0; until cd "$RINGLAB_RUN" 2>/dev/null && [ -r "rank-$SLURM_PROCID/task.sh" ]; do tries=$((tries + 1)); ' +
  `[ "$tries" -lt 150 ] || { echo "${unseenMark} $(hostname) $RINGLAB_RUN" >&2; scancel --signal=TERM "$SLURM_JOB_ID"; exit 94; }; sleep 0.1; done; ` +
  'exec sh "rank-$SLURM_PROCID/task.sh"';

export interface JobScriptOptions {
  readonly slurm: SlurmTarget;
  readonly parts: readonly JobPart[];
  readonly name: string;
  readonly attempt: number;
  /** A folder of the compute nodes with the data, which an image does not have. */
  readonly data?: string | undefined;
  /** Rank 0 listens here; where it is in use, on the next free port. */
  readonly port: number;
}

/** As `--gres` takes it. */
export const gpuResource = ({ gpuType }: Pick<SlurmTarget, 'gpuType'>, gpus: number): string =>
  `gpu:${gpuType === undefined || gpuType === '' ? '' : `${gpuType}:`}${gpus}`;

const partLines = (
  { nodes, tasksPerNode, cpusPerTask, memoryMb, gpus }: JobPart,
  { slurm }: Pick<JobScriptOptions, 'slurm'>,
): string[] => {
  const given = (name: string, value: string | undefined): string[] =>
    value === undefined || value === '' ? [] : [`#SBATCH --${name}=${value}`];
  return [
    `#SBATCH --nodes=${nodes}`,
    `#SBATCH --ntasks-per-node=${tasksPerNode}`,
    `#SBATCH --cpus-per-task=${cpusPerTask}`,
    `#SBATCH --mem=${memoryMb}M`,
    ...given('gres', gpus === 0 ? undefined : gpuResource(slurm, gpus)),
    ...given('partition', slurm.partition),
    ...given('account', slurm.account),
    ...given('qos', slurm.qos),
    ...given('time', slurm.timeLimitMinutes === undefined ? undefined : String(slurm.timeLimitMinutes)),
    ...(slurm.options ?? []).map((option) => `#SBATCH ${option.trim()}`),
  ];
};

/** In the order of the ranks: Slurm sorts the names within a part. */
const namesOf = (parts: number): string =>
  parts === 1
    ? 'names=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1'
    : `names=$(${Array.from({ length: parts }, (_, part) => `scontrol show hostnames "$SLURM_JOB_NODELIST_HET_GROUP_${part}"`).join(' && ')}) || exit 1`;

/** How processes of an earlier start of the same attempt ended, in the run's folder. */
export const forgetEnds = `rm -f ${['rank', 'monitor', 'collect'].map((name) => `${name}-*/exit.json ${name}-*/pid`).join(' ')}`;

/** After preemption or the failure of a node Slurm itself starts the job again, without a word before. */
const againLines = (attempt: number): string[] => [
  `[ "\${SLURM_RESTART_COUNT:-0}" -eq 0 ] || { : >${againFile(attempt)} && ${forgetEnds}; }`,
  '',
];

/**
 * How ranks end that were asked to: the trainer with 7. A script may also end by the signal itself; what it saved before is
 * its own matter.
 */
const askedIn = (attempt: number): string => `("code":7,|"code":143,|"signal":15,).*"attempt":${attempt}[,}]`;

/** `again` becomes `no` where a rank did not end as it was asked to. */
const allAskedLines = (attempt: number): string[] => [
  'if [ "$again" = yes ]; then',
  '  for folder in rank-*; do',
  `    grep -Eq '${askedIn(attempt)}' "$folder/exit.json" 2>/dev/null || again=no`,
  '  done',
  'fi',
];

/** In the run's folder where a job that is not requeued was preempted, and its ranks saved within the grace time; for a shell. */
export const preemptedFile = (job: string): string => `preempted-${job}`;

/**
 * With a GraceTime (slurm.conf(5)) only the ranks get SIGTERM at once: the job has nothing left that could be requeued, or ended as
 * preempted, when that time is over. What a user stops (`stopScript`) ends for good.
 */
const preemptedLines = (attempt: number, requeue: boolean, nodeLocal: boolean): string[] =>
  nodeLocal && !requeue
    ? []
    : [
        '# Preempted: the ranks had the signal before this shell, and have saved.',
        `! grep -Eqs '${askedIn(attempt)}' rank-*/exit.json || [ -e "signalled-$SLURM_JOB_ID" ] || ! SLURM_TIME_FORMAT=standard scontrol -o show job "$SLURM_JOB_ID" | grep -q ' PreemptTime=[0-9]' || again=yes`,
        ...(requeue
          ? []
          : [...allAskedLines(attempt), `[ "$again" = no ] || : >"${preemptedFile('$SLURM_JOB_ID')}"`]),
      ];

const restartLines = (attempt: number, nodeLocal: boolean): string[] => [
  '# All ranks stopped before the time limit: back to the queue, and from the checkpoint on.',
  ...(nodeLocal ? [] : allAskedLines(attempt)),
  'if [ "$again" = yes ]; then',
  ...(nodeLocal ? [] : [`  : >${againFile(attempt)} && ${forgetEnds}`]),
  '  scontrol requeue "$SLURM_JOB_ID" && { sleep 600; exit "$code"; }',
  'fi',
];

/**
 * Slurm may start a job again whose ranks did not all end well, also at the moment in which this script ends: a node that
 * failed ends the step with 0. Such a job keeps its secrets; Ringlab removes them when the run has ended, or the next start does.
 */
const forgetSecrets = (attempt: number, requeue: boolean): string[] =>
  requeue
    ? [
        'well=yes',
        'for folder in rank-*; do',
        `  grep -Eq '"code":0,.*"attempt":${attempt}[,}]' "$folder/exit.json" 2>/dev/null || well=no`,
        'done',
        `[ "$well" = no ] || rm -f ${secretsOf(attempt)}`,
      ]
    : [`rm -f ${secretsOf(attempt)}`];

/** The folder of each machine's own disk that stands for a shared one; undefined where there is a shared one. */
export const nodeLocalFolder = ({ nodeLocal, folder }: SlurmTarget): string | undefined =>
  nodeLocal === true ? folder : undefined;

/**
 * One step of all ranks. Without `--cpus-per-task` each would have one processor: since Slurm 22.05 `srun` does not take the number
 * of `#SBATCH` (srun(1)). Without `--ntasks` a part would have the first one's tasks: `sbatch` of Slurm 24.11 exports SLURM_NTASKS of
 * the first part, which counts for all.
 */
function rankLine({ parts, slurm, data }: JobScriptOptions): string {
  const local = nodeLocalFolder(slurm);
  const hasGpus = parts.some(({ gpus }) => gpus > 0);
  const each = '--kill-on-bad-exit=0 --wait=0 --export=ALL --distribution=block';
  const task = `${inContainer(slurm, hasGpus, data)}sh -c '${local === undefined ? taskLine : stagedTaskLine(local)}'`;
  const steps = parts.map(
    ({ nodes, tasksPerNode, cpusPerTask }, part) =>
      `${each} --nodes=${nodes} --ntasks=${nodes * tasksPerNode} --ntasks-per-node=${tasksPerNode} --cpus-per-task=${cpusPerTask} ${local === undefined ? '' : '--chdir=/ '}${parts.length === 1 ? '' : `--het-group=${part} `}${task}`,
  );
  return `srun ${steps.join(' : ')} &`;
}

/**
 * Submitted in the run's folder, which the compute nodes share, or get a copy of. Ranks get MASTER_ADDR, MASTER_PORT and the addresses of
 * all nodes from the allocation; their commands, and the run's secret, are in files of their folders.
 */
export function jobScript(options: JobScriptOptions): string {
  const { slurm, parts, name, attempt, port } = options;
  const requeue = slurm.requeue === true;
  const local = nodeLocalFolder(slurm);
  return [
    '#!/bin/sh',
    `#SBATCH --job-name=${name}`,
    ...(local === undefined
      ? ['#SBATCH --output=slurm-%j.out', '#SBATCH --open-mode=append']
      : ['#SBATCH --output=/dev/null']),
    requeue ? '#SBATCH --requeue' : '#SBATCH --no-requeue',
    ...(requeue ? [`#SBATCH --signal=B:USR1@${saveSeconds(slurm)}`] : []),
    ...parts.flatMap((part, index) => [
      ...(index === 0 ? [] : ['#SBATCH hetjob']),
      ...partLines(part, options),
    ]),
    '# Written by Ringlab. Slurm also signals this shell at the end: it waits for the ranks, which save first.',
    'trap : HUP INT TERM',
    'again=no',
    ...(requeue ? [`trap 'again=yes; scancel --signal=TERM "$SLURM_JOB_ID"' USR1`] : []),
    '',
    ...(local === undefined ? [] : beginLines(local)),
    ...(requeue && local === undefined ? againLines(attempt) : []),
    ...moduleLines(slurm.modules ?? []),
    '# The addresses of the allocated nodes, in the order of the ranks.',
    namesOf(parts.length),
    'known=$(scontrol -o show node "$(printf "%s" "$names" | tr "\\n" ,)")',
    'RINGLAB_ADDRESSES=',
    'for name in $names; do',
    `  address=$(printf '%s\\n' "$known" | sed -n "s/^NodeName=$name .* NodeAddr=\\([^ ]*\\).*/\\1/p")`,
    '  case ${address:-$name} in',
    '    *[!0-9.]*) resolved=$(getent ahostsv4 "${address:-$name}" | sed -n "1s/ .*//p")',
    '      # A node may know itself by its loopback.',
    '      case $resolved in 127.*) resolved=$(hostname -I | cut -d " " -f 1) ;; esac',
    '      address=${resolved:-${address:-$name}} ;;',
    '  esac',
    '  RINGLAB_ADDRESSES="$RINGLAB_ADDRESSES $address"',
    'done',
    '# This shell runs on the first node, where rank 0 listens: on the first port that is free.',
    `MASTER_PORT=${port}`,
    'while cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$(printf %04X "$MASTER_PORT") [0-9A-F:]* 0A "; do',
    '  MASTER_PORT=$((MASTER_PORT + 1))',
    'done',
    'set -- $RINGLAB_ADDRESSES',
    'MASTER_ADDR=$1 RINGLAB_PEERS=$(printf %s "$*" | tr " " ,)',
    ...(local === undefined ? ['RINGLAB_RUN=$PWD'] : []),
    'export MASTER_ADDR MASTER_PORT RINGLAB_ADDRESSES RINGLAB_PEERS RINGLAB_RUN',
    `printf 'rendezvous at %s:%s on %s\\n' "$MASTER_ADDR" "$MASTER_PORT" "$(printf '%s ' $names)"`,
    '',
    ...containerLines(slurm),
    rankLine(options),
    'child=$!',
    ...waitLines('child', 'code'),
    ...preemptedLines(attempt, requeue, local !== undefined),
    ...(local === undefined
      ? []
      : endLines(
          local,
          parts.map(({ nodes }) => nodes),
          askedIn(attempt),
        )),
    ...(requeue ? restartLines(attempt, local !== undefined) : []),
    ...(local === undefined ? forgetSecrets(attempt, requeue) : []),
    'exit "$code"',
    '',
  ].join('\n');
}

/** The script of a lab before it is run: it differs from the submitted one in the job's name alone. */
export const previewScript = (lab: LabDocument, slurm: SlurmTarget): string =>
  jobScript({
    slurm,
    ...{ parts: jobParts(lab), data: dataOnNodes(lab) },
    name: jobName('RUN', 1),
    attempt: 1,
    port: lab.experiment.port,
  });
