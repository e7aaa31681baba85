/** Who was there when: for each node of a run, what it did along the run's time. From the run's record. Pure. */
import type { WireError } from '../../../shared/base/errors.ts';
import { absencesOf } from '../../../shared/run/membership.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';

/** `training`: its ranks ran. `absent`: the others went on without them. `lost`: none ran, because of this node. `waiting`: because of another one. */
type Presence = 'training' | 'absent' | 'lost' | 'waiting';

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

type Known = Pick<
  RunRecord,
  'state' | 'startedAt' | 'endedAt' | 'ranks' | 'recovery' | 'events' | 'memberships'
>;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Undefined where nothing has happened. @param now Unix seconds */
export function nodeBars(run: Known, now: number): NodeBars | undefined {
  const restarts = run.recovery?.restarts ?? [];
  const reach = (run.events ?? []).filter(({ kind }) => kind === 'lost' || kind === 'back');
  const absences = absencesOf(run);
  if (run.startedAt === undefined || restarts.length + reach.length + absences.length === 0) return undefined;
  const [restart, contact, absence] = [restarts[0]?.t, reach[0]?.t, absences[0]?.from];
  const from = Math.min(run.startedAt, restart ?? Infinity, contact ?? Infinity, absence ?? Infinity);
  const to = Math.max(from + 1, isEnded(run.state) ? (run.endedAt ?? now) : now);
  // The others stop, and all are started again.
  const pending = run.recovery?.rejoins === true ? to : undefined;
  const rejoins = (run.recovery?.rejoined ?? []).flatMap((t): Stretch[] => {
    const back = absences.find((one) => one.to !== undefined && one.to >= t)?.to ?? pending;
    // Records of earlier versions do not have it.
    return back === undefined ? [] : [{ from: t, to: back }];
  });
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
    const members = run.ranks.filter(({ nodeName }) => nodeName === node);
    const absent = members
      .map(({ rank }) =>
        absences
          .filter(({ ranks }) => ranks.includes(rank))
          .map((one): Stretch => ({ from: one.from, to: one.to ?? to })),
      )
      .reduce(common);
    const parts = spans
      .flatMap((span) => divided(span, absent, 'absent'))
      .flatMap((span) => divided(span, rejoins, 'waiting'));
    return { node, spans: parts, unreachable: awayOf(node, reach, to) };
  });
  return { from, to, bars };
}

/** What lies in both: a node is absent where all of its ranks are. */
const common = (some: readonly Stretch[], others: readonly Stretch[]): Stretch[] =>
  some.flatMap((one) =>
    others
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter(({ from, to }) => from < to),
  );

/** A span of training in parts: those within `stretches`, which are ascending, are of the other kind. */
function divided(span: BarSpan, stretches: readonly Stretch[], kind: Presence): BarSpan[] {
  if (span.kind !== 'training') return [span];
  const parts: BarSpan[] = [];
  let at = span.from;
  for (const { from, to } of common(stretches, [span])) {
    if (from > at) parts.push({ kind: 'training', from: at, to: from });
    parts.push({ kind, from, to });
    at = to;
  }
  if (span.to > at) parts.push({ kind: 'training', from: at, to: span.to });
  return parts;
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
