/** What each pod of a run's job executes, by its number: the tasks of its ranks, as on a compute node. Pure. */
import { peerLost, stopped } from '../../../../shared/lab/kubernetes-job.ts';
import { againFile } from '../../../../shared/lab/slurm-script.ts';
import { shellQuote } from '../../../ssh/index.ts';
import type { LaunchOrder, NodeOrders } from '../../record/launcher.ts';
import { rendezvousSeconds, withoutAddresses } from './pod-commands.ts';

const nameOf = ({ directory }: LaunchOrder): string => directory.slice(directory.lastIndexOf('/') + 1);

export interface PodScriptOptions {
  /** Absolute, on the claim. */
  readonly runFolder: string;
  readonly attempt: number;
  /** In the order of the pods. */
  readonly nodes: readonly NodeOrders[];
  /** The pods' names, in the same order. */
  readonly names: readonly string[];
  /** Rank 0 listens here. */
  readonly port: number;
  /** Of an own script, whose exit codes mean nothing but success and failure. */
  readonly isScript: boolean;
}

/** Seconds until the cluster's name service must know rank 0's pod: the others may wait for their machines until then. */
const nameSeconds = 1800;

/**
 * The shell is the pod's first process: it passes a signal on to all others, waits for the ranks, and ends with the first exit
 * code that is not 0, by which the job decides whether the pod starts again. A pod that starts again forgets how its ranks ended.
 */
export function podScript({ runFolder, attempt, nodes, names, port, isScript }: PodScriptOptions): string {
  const [master = ''] = names;
  const cases = nodes.map(({ ranks, beside }, pod) => {
    const list = (orders: readonly LaunchOrder[]): string => shellQuote(orders.map(nameOf).join(' '));
    return `  ${pod}) ranks=${list(ranks)} beside=${list(beside)} ;;`;
  });
  const waits =
    nodes.length === 1
      ? []
      : [
          '# The name service learns of a pod some seconds after it began.',
          'tries=0',
          `while [ -z "$stopped" ] && command -v getent >/dev/null && ! getent hosts ${shellQuote(master)} >/dev/null && [ "$tries" -lt ${nameSeconds} ]; do`,
          '  tries=$((tries + 1)); sleep 1',
          'done',
        ];
  return [
    '#!/bin/sh',
    '# Written by Ringlab: what a pod of the job starts.',
    `cd ${shellQuote(runFolder)} || exit 1`,
    'ranks= beside= stopped=',
    'pod=$((RINGLAB_FIRST_POD + JOB_COMPLETION_INDEX))',
    'case $pod in',
    ...cases,
    'esac',
    '[ -n "$ranks" ] || exit 2',
    `trap 'stopped=yes; kill -TERM -1 2>/dev/null' TERM INT`,
    `if [ -e begun-${attempt}-$pod ]; then`,
    `  : >${againFile(attempt)}`,
    '  for folder in $ranks $beside; do rm -f "$folder/exit.json" "$folder/pid"; done',
    'fi',
    `: >begun-${attempt}-$pod`,
    `MASTER_ADDR=${shellQuote(master)} MASTER_PORT=${port} RINGLAB_PEERS=${shellQuote(names.join(','))}`,
    `RINGLAB_ADDRESS=$(hostname -i 2>/dev/null | cut -d ' ' -f 1)`,
    'export MASTER_ADDR MASTER_PORT RINGLAB_PEERS RINGLAB_ADDRESS',
    ...waits,
    `[ -z "$stopped" ] || exit ${stopped}`,
    'children=',
    'for folder in $ranks; do',
    '  sh "$folder/task.sh" &',
    '  children="$children $!"',
    'done',
    'for child in $children; do',
    '  while :; do',
    '    wait "$child"; code=$?',
    '    # A signal to this shell ends wait early.',
    '    [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null && continue',
    '    break',
    '  done',
    'done',
    'for folder in $ranks; do',
    `  code=$(sed -n 's/.*"code":\\([0-9]*\\).*/\\1/p' "$folder/exit.json" 2>/dev/null)`,
    ...(isScript ? [`  case $code in ${peerLost}|${stopped}) code=1 ;; esac`] : []),
    '  [ "${code:-137}" -eq 0 ] || exit "${code:-137}"',
    'done',
    'exit 0',
    '',
  ].join('\n');
}

/**
 * The trainer's command in a pod: it finds its address by the route to rank 0, and waits for pods that start later.
 * @param argv of a rank
 */
export function podArgv(argv: readonly string[], ranks: number): string[] {
  const words = withoutAddresses(argv);
  const patience = ranks > 1 ? ['--rendezvous-timeout', String(rendezvousSeconds)] : [];
  return [...words.slice(0, 1), ...patience, ...words.slice(1)];
}
