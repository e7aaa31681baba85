/** How ranks that a run lost come back to it: by themselves, and what that waits for, or when the user takes them in. Pure. */
import type { WireError } from '../base/errors.ts';
import { defaultRestartsPerHour, type LabDocument } from '../lab/lab.ts';
import { linkName, separatingLinks } from '../lab/links-down.ts';
import { canRejoin, lostMembers, type Members } from './membership.ts';
import { isWithinHour, type Recovery } from './recovery.ts';

/** What of a run decides it. */
export interface Losing extends Members {
  readonly state: string;
  readonly ranks: readonly LostRank[];
  readonly lab: LabDocument;
  readonly recovery?: Recovery | undefined;
  /** Ids of nodes that Ringlab does not reach. */
  readonly unreachable: Readonly<Record<string, number>>;
}
interface LostRank {
  readonly rank: number;
  readonly nodeId: string;
  readonly nodeName: string;
  readonly state: string;
  readonly error?: WireError | undefined;
}

export type WayBack =
  /** The names of links that are down, or of nodes that are not reached. */
  | { readonly waits: 'links' | 'nodes'; readonly names: readonly string[] }
  /** Its processes have not noticed yet that they were left out. */
  | { readonly waits: 'end' }
  /** It rejoins in a moment. */
  | { readonly waits: 'nothing' }
  /** It failed by itself, was killed or taken out, or rejoined too often. */
  | { readonly waits: 'user' };

/** Of a rank that did not fail by itself: the others did not hear it, or its node restarted. */
const awayCodes: ReadonlySet<string> = new Set(['peer_lost', 'run_interrupted', 'rank_lost']);

const endedStates: ReadonlySet<string> = new Set(['done', 'failed', 'stopped', 'lost']);

/** Whether a lost rank was only away. */
export const wasAway = ({ error }: Pick<LostRank, 'error'>): boolean =>
  error !== undefined && awayCodes.has(error.code);

const hasEnded = ({ state }: Pick<LostRank, 'state'>): boolean => endedStates.has(state);

const limitOf = ({ lab: { experiment } }: Losing): number =>
  experiment.restartsPerHour ?? defaultRestartsPerHour;

/** @param now Unix seconds */
const rejoinedLately = ({ recovery }: Losing, now: number): number[] =>
  (recovery?.rejoined ?? []).filter((t) => isWithinHour(t, now));

/**
 * What the lost ranks of a run wait for; undefined where none is lost, or they cannot come back.
 * @param down ids of the drawn links that are down
 * @param now Unix seconds
 */
export function wayBack(run: Losing, down: readonly string[], now: number): WayBack | undefined {
  const { lab, ranks, recovery, unreachable } = run;
  if (!canRejoin(run, lab.experiment, ranks.length) || recovery?.rejoins === true) return undefined;
  const lost = lostMembers(run);
  if (rejoinedLately(run, now).length >= limitOf(run)) return { waits: 'user' };
  // All come back together: one that failed would fail all again, and one that was taken out is not wanted.
  if (lost.some((rank) => hasEnded(rank) && !wasAway(rank))) return { waits: 'user' };
  const nodes = lost.filter(({ nodeId }) => unreachable[nodeId] !== undefined);
  if (nodes.length > 0) return { waits: 'nodes', names: [...new Set(nodes.map(({ nodeName }) => nodeName))] };
  if (!lost.every(hasEnded)) return { waits: 'end' };
  const links = separatingLinks(lab, new Set(down));
  return links.length > 0
    ? { waits: 'links', names: links.map((link) => linkName(lab, link)) }
    : { waits: 'nothing' };
}

/**
 * When lost ranks that rejoined too often may do so again by themselves, in Unix seconds; undefined where they wait for
 * something else, too.
 * @param now Unix seconds
 */
export function mayRejoinAt(run: Losing, now: number): number | undefined {
  const limit = limitOf(run);
  const oldest = limit === 0 ? undefined : rejoinedLately(run, now).at(-limit);
  if (oldest === undefined) return undefined;
  const at = oldest + 3600;
  return wayBack(run, [], at)?.waits === 'nothing' ? at : undefined;
}
