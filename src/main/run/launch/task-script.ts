/** What one task of the job runs on its compute node: a rank and, for the node's first, the monitor beside it. Pure. */
import { againFile } from '../../../shared/lab/slurm-script.ts';
import { allocated } from '../../base/allocated.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeOrders } from '../record/launcher.ts';
import type { Supervision } from './order-files.ts';

/** Variables that a rank's arguments name, replaced where it starts. */
const replacedVariables: ReadonlySet<string> = new Set(Object.values(allocated).map((word) => word.slice(1)));

/** @param index of the rank's node among the allocated ones */
export const rankSupervision = (index: number, attempt: number): Supervision => ({
  replaced: replacedVariables,
  before: `set -- $RINGLAB_ADDRESSES; shift ${index}; RINGLAB_ADDRESS=$1\n`,
  againIf: `[ -e ../${againFile(attempt)} ] && [ -s ../rank-0/checkpoint.pth.tar ]`,
  // The job removes it: a requeued one starts the same attempt again.
  keepsSecret: true,
});

/** Tenths of a second that a task waits for what runs beside the ranks to write its last lines. */
const besidePatience = 50;

/**
 * In the rank's folder. What runs beside the ranks ignores the signals that the whole step gets, and begins when the ranks
 * of its node have written down their processes.
 */
export function taskScript({ ranks, beside }: NodeOrders, place: number): string {
  const order = ranks[place];
  if (order === undefined) throw new RangeError(`no task ${place}`);
  const began = ranks.map(({ directory }) => `[ -s ${shellQuote(`${directory}/pid`)} ]`).join(' && ');
  const others = place === 0 ? beside : [];
  return [
    '#!/bin/sh',
    `# Written by Ringlab: ${order.label} as a task of a job.`,
    'trap : HUP INT TERM',
    'others=',
    ...others.flatMap(({ directory }) => [
      `( trap '' HUP INT TERM; tries=0`,
      `  until { ${began}; } || [ "$tries" -ge 600 ]; do tries=$((tries + 1)); sleep 0.1; done`,
      `  exec sh ${shellQuote(`${directory}/launch.sh`)} ) </dev/null >/dev/null 2>&1 &`,
      'others="$others $!"',
    ]),
    `sh ${shellQuote(`${order.directory}/launch.sh`)} </dev/null &`,
    'child=$!',
    'while :; do',
    '  wait "$child"; code=$?',
    '  [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null && continue',
    '  break',
    'done',
    'tries=0',
    'for other in $others; do',
    `  while kill -0 "$other" 2>/dev/null && [ "$tries" -lt ${besidePatience} ]; do tries=$((tries + 1)); sleep 0.1; done`,
    'done',
    'exit "$code"',
    '',
  ].join('\n');
}
