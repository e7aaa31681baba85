/**
 * What is stored of a run's metrics lines, for its next attempt. Where a node lost lines with its power that are stored here, their numbers
 * must not be used again, and a collector must not make lines once more of what it read.
 */
import { monitorSource, rankSource, type Source } from '../../../shared/metrics/metrics.ts';
import { recordKinds } from '../../../shared/run/run-media.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import type { LaunchOrder } from '../record/launcher.ts';
import { collectOrder, monitorOrder, rankOrder, ranksByNode } from './orders.ts';

/** A power cut takes the lines of the last half minute: in more lines than these, a file that was written to meanwhile is named again. */
const newestLines = 5000;
const maxFiles = 100;
/** A file (a hash) and a place in it: what it is comes from a node. */
const placeForm = /^([0-9a-f]{8}):(\d{1,15})$/;

type Stored = Pick<Store, 'lastSeq' | 'lines'>;

/** `FILE:END` of the files that a rank's newest lines are from, the newest of each. */
async function placesOf(store: Stored, runId: string, source: Source): Promise<string[]> {
  const points = await store.lines({ runId, source, kinds: recordKinds, limit: newestLines });
  const places = new Map<string, string>();
  for (const { line } of points.toReversed()) {
    const [at, file = ''] = placeForm.exec(typeof line.at === 'string' ? line.at : '') ?? [];
    if (at !== undefined && !places.has(file) && places.size < maxFiles) places.set(file, at);
  }
  return [...places.values()];
}

/**
 * Returns what gives an order of the run's next attempt the numbers and places that are stored (native/PROTOCOL.md, 'Metrics lines' and
 * 'Collected lines').
 */
export async function lineNumbers(
  store: Stored,
  run: RunRecord,
): Promise<(order: LaunchOrder) => LaunchOrder> {
  const sources = new Map<string, Source>();
  for (const rank of run.ranks) {
    sources.set(rankOrder(run, rank).directory, rankSource(rank.rank));
    sources.set(monitorOrder(run, rank).directory, monitorSource(rank.nodeId));
  }
  const entries = [...sources].map(
    async ([directory, source]) => [directory, await store.lastSeq(run.id, source)] as const,
  );
  const last = new Map(await Promise.all(entries));
  const collectors = new Map<string, string[]>();
  for (const ranks of run.lab.experiment.script === undefined ? [] : ranksByNode(run).values()) {
    const [first] = ranks;
    if (first === undefined) continue;
    const stored: string[] = [];
    for (const { rank, directory } of ranks) {
      const seq = last.get(directory) ?? -1;
      if (seq < 0) continue;
      const places = await placesOf(store, run.id, rankSource(rank));
      stored.push('--stored', `${rank}=${[seq + 1, ...places].join(',')}`);
    }
    collectors.set(collectOrder(run, first, { argv: [], env: {} }).directory, stored);
  }
  return (order) => {
    const collected = collectors.get(order.directory);
    if (collected !== undefined) return { ...order, argv: [...order.argv, ...collected] };
    const seq = last.get(order.directory) ?? -1;
    return seq < 0 ? order : { ...order, env: { ...order.env, RINGLAB_FIRST_SEQ: String(seq + 1) } };
  };
}
