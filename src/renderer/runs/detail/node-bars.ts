/** Who was there when: for each node of a run, what it did along the run's time. From the run's record. Pure. */
import type { WireError } from '../../../shared/base/errors.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';

/** `training`: all ranks ran. `lost`: this node was why they did not. `waiting`: another one was. */
type Presence = 'training' | 'lost' | 'waiting';

export interface BarSpan {
  readonly kind: Presence;
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** Of `lost`: why, and seconds of work that are done again; undefined where training has not gone on. */
  readonly error?: WireError;
  readonly lostSeconds?: number | undefined;
}

interface NodeBar {
  readonly node: string;
  readonly spans: readonly BarSpan[];
  /** When the app could not reach it: its ranks may have run. */
  readonly unreachable: readonly { readonly from: number; readonly to: number }[];
}

interface NodeBars {
  readonly from: number;
  readonly to: number;
  readonly bars: readonly NodeBar[];
}

type Known = Pick<RunRecord, 'state' | 'startedAt' | 'endedAt' | 'ranks' | 'recovery' | 'events'>;

/** Undefined where nothing has happened. @param now Unix seconds */
export function nodeBars(run: Known, now: number): NodeBars | undefined {
  const restarts = run.recovery?.restarts ?? [];
  const reach = (run.events ?? []).filter(({ kind }) => kind === 'lost' || kind === 'back');
  if (run.startedAt === undefined || restarts.length + reach.length === 0) return undefined;
  const from = Math.min(run.startedAt, restarts[0]?.t ?? Infinity, reach[0]?.t ?? Infinity);
  const to = Math.max(from + 1, isEnded(run.state) ? (run.endedAt ?? now) : now);
  const names = [...new Set(run.ranks.map(({ nodeName }) => nodeName))];
  const bars = names.map((node): NodeBar => {
    const spans: BarSpan[] = [];
    let at = from;
    for (const [index, { t, error, resumed }] of restarts.entries()) {
      const failed = Math.min(Math.max(t, at), to);
      if (failed > at) spans.push({ kind: 'training', from: at, to: failed });
      // Where it failed again before training went on, the next failure explains the rest of the gap.
      at = Math.min(Math.max(failed, resumed?.t ?? restarts[index + 1]?.t ?? to), to);
      if (at <= failed) continue;
      const gap = { from: failed, to: at };
      spans.push(
        error.where === node
          ? { kind: 'lost', ...gap, error, lostSeconds: resumed?.lostSeconds }
          : { kind: 'waiting', ...gap },
      );
    }
    if (to > at) spans.push({ kind: 'training', from: at, to });
    return { node, spans, unreachable: awayOf(node, reach, to) };
  });
  return { from, to, bars };
}

function awayOf(node: string, reach: NonNullable<RunRecord['events']>, to: number): NodeBar['unreachable'] {
  const away: { from: number; to: number }[] = [];
  let since: number | undefined;
  for (const { kind, what, t } of reach) {
    if (what !== node) continue;
    if (kind === 'lost') since ??= t;
    else if (since !== undefined) {
      away.push({ from: since, to: Math.min(t, to) });
      since = undefined;
    }
  }
  if (since !== undefined) away.push({ from: since, to });
  return away;
}
