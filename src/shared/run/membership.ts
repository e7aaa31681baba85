/** Who takes part in a run that lost ranks and went on with the others (native/PROTOCOL.md, 'Going on with fewer'). Pure. */
import * as z from 'zod';
import { trainingNodes, type LabDocument, type LabNode, type OnLostRank } from '../lab/lab.ts';
import type { Absence, Recovery } from './recovery.ts';
import type { MetricLine } from '../metrics/metrics.ts';

/** A generation is smaller than the one before it. */
export const maxMemberships = 1000;
const Rank = z.number().int().min(0).max(99_999);

/** From when on which ranks took part. */
export const Membership = z.object({
  /** From 1; all ranks are generation 0. */
  generation: z.number().int().min(1).max(maxMemberships),
  /** Unix seconds. */
  t: z.number(),
  /** Steps completed by then. */
  step: z.number().int().min(0).max(1e12),
  /** The first one writes the checkpoint, and what only rank 0 writes in a whole run. */
  ranks: z.array(Rank).min(1).max(maxMemberships),
  lost: z.array(Rank).min(1).max(maxMemberships),
});
export type Membership = z.infer<typeof Membership>;

/** Undefined where a node wrote something else. */
export const membershipOf = (line: MetricLine): Membership | undefined =>
  line.kind === 'membership' ? Membership.safeParse(line).data : undefined;

/** The part of a run, or of its summary, that says who takes part. */
export interface Members {
  /** Of the current attempt, oldest first. Absent: no rank was lost. */
  readonly memberships?: readonly Membership[] | undefined;
  /** Which ranks had rank 0's part in earlier attempts. Absent: rank 0 alone. */
  readonly formerFirsts?: readonly number[] | undefined;
}

/** The rank that has rank 0's part. */
export const firstMember = ({ memberships }: Members): number => memberships?.at(-1)?.ranks[0] ?? 0;

/** The record of that rank. */
export const firstMemberOf = <R extends { readonly rank: number }>(
  run: Members & { readonly ranks: readonly R[] },
): R | undefined => run.ranks.find(({ rank }) => rank === firstMember(run));

/** Every rank that has, or had, rank 0's part, in their order. */
export const firstMembers = ({ memberships = [], formerFirsts = [] }: Members): number[] => [
  ...new Set([0, ...formerFirsts, ...memberships.flatMap(({ ranks }) => ranks.slice(0, 1))]),
];

/** Which ranks the others went on without, over all attempts, oldest first. */
export const absencesOf = ({
  memberships = [],
  recovery,
}: Members & { readonly recovery?: Pick<Recovery, 'absences'> | undefined }): Absence[] => [
  ...(recovery?.absences ?? []),
  ...memberships.map(({ t, step, lost }): Absence => ({ ranks: lost, from: t, step })),
];

/** A run's record, or its summary. */
interface Steady extends Members {
  readonly recovery?: Pick<Recovery, 'absences'> | undefined;
  readonly ranks?: readonly unknown[] | undefined;
  readonly worldSize?: number | undefined;
}

/**
 * The rank whose steps go through the whole run: one of the current members that was never lost, where all are there rather one of those
 * that had rank 0's part. Lost ranks that are back have no steps of the time between.
 */
export function steadyMember(run: Steady): number {
  const { memberships, formerFirsts = [], recovery, ranks, worldSize = ranks?.length ?? 0 } = run;
  const absent = new Set(absencesOf(run).flatMap(({ ranks }) => ranks));
  // A summary without it: all but the last were lost.
  if (recovery === undefined) for (const rank of formerFirsts.slice(0, -1)) absent.add(rank);
  const first = firstMember(run);
  // Who was lost besides them is known with it alone.
  const others = recovery === undefined ? [] : Array.from({ length: worldSize }, (_, rank) => rank);
  const candidates = memberships?.at(-1)?.ranks ?? [...formerFirsts, first, ...others];
  return candidates.find((rank) => !absent.has(rank)) ?? formerFirsts.at(-1) ?? first;
}

/** The records of the ranks that were lost in this attempt; none where all are there. */
export const lostMembers = <R extends { readonly rank: number }>({
  memberships,
  ranks,
}: Members & { readonly ranks: readonly R[] }): R[] => {
  const there = memberships?.at(-1)?.ranks;
  return there === undefined ? [] : ranks.filter(({ rank }) => !there.includes(rank));
};

/** How many ranks take part. @param worldSize how many started */
export const membersLeft = ({ memberships }: Members, worldSize: number): number =>
  memberships?.at(-1)?.ranks.length ?? worldSize;

/** What of an experiment decides whether ranks leave and rejoin. */
interface Leaving {
  readonly onLostRank?: OnLostRank | undefined;
  readonly script?: unknown;
  readonly where?: { readonly type: string } | undefined;
}

interface Policed {
  readonly onLostRank?: OnLostRank | undefined;
  readonly lab: { readonly experiment: Leaving };
}

/** What happens when a rank of the run is lost: before its first start, what its lab says. */
export const lostRankOf = ({ onLostRank, lab }: Policed): OnLostRank =>
  onLostRank ?? lab.experiment.onLostRank ?? 'stop';

/** A scheduler's job has its nodes to its end: it gives none away, and takes none in. */
export const isOnMachines = ({ where }: Leaving): boolean => where === undefined || where.type === 'machines';

/**
 * The ranks that the others have gone on without, where each is a process that can be ended by itself. Nothing that one of them would save counts, and a frozen
 * one keeps all waiting: it is not asked to stop, but killed.
 */
export const leftOut = <R extends { readonly rank: number }>(
  run: Members & { readonly ranks: readonly R[]; readonly lab: { readonly experiment: Leaving } },
): R[] => (isOnMachines(run.lab.experiment) ? lostMembers(run) : []);

/** Whether lost ranks can be taken in again. @param worldSize how many started */
export const canRejoin = (
  { state, memberships }: Members & { readonly state: string },
  experiment: Leaving,
  worldSize: number,
): boolean =>
  state === 'running' && membersLeft({ memberships }, worldSize) < worldSize && isOnMachines(experiment);

/** The ids of the nodes whose ranks were all lost, where others can take their places. */
export function replaceable(
  run: Members & {
    readonly state: string;
    readonly ranks: readonly { readonly rank: number; readonly nodeId: string }[];
    readonly lab: { readonly experiment: Leaving };
  },
): string[] {
  if (!canRejoin(run, run.lab.experiment, run.ranks.length)) return [];
  const lost = new Set(lostMembers(run).map(({ rank }) => rank));
  const there = new Set(run.ranks.filter(({ rank }) => !lost.has(rank)).map(({ nodeId }) => nodeId));
  return [...new Set(run.ranks.map(({ nodeId }) => nodeId))].filter((id) => !there.has(id));
}

/** The machines of the drawing that the run does not have: each can take the place of a lost one. */
export function spareNodes(drawn: LabDocument, run: { readonly lab: LabDocument }): LabNode[] {
  const used = new Set(run.lab.nodes.map(({ id }) => id));
  return trainingNodes(drawn).filter(({ id }) => !used.has(id));
}

/** What decides whether a node's ranks can be taken out of a run. */
interface Running extends Members, Policed {
  readonly state: string;
  readonly ranks: readonly { readonly rank: number; readonly nodeId: string }[];
}

/** Whether the others go on where the ranks of a node are ended: they are half at least of those that train. */
export function canTakeOut(run: Running, nodeId: string): boolean {
  const {
    state,
    ranks,
    memberships,
    lab: { experiment },
  } = run;
  const there = memberships?.at(-1)?.ranks;
  const members = ranks.filter(({ rank }) => there === undefined || there.includes(rank));
  const others = members.filter((one) => one.nodeId !== nodeId);
  const goesOn =
    lostRankOf(run) === 'continue' && experiment.script === undefined && isOnMachines(experiment);
  return (
    state === 'running' && goesOn && others.length < members.length && 2 * others.length >= members.length
  );
}

/** A run's memberships with `next`; undefined where they have it already, or it does not follow from the last one. */
export function withMembership(
  run: Members & { readonly ranks: readonly { readonly rank: number }[] },
  next: Membership,
): Membership[] | undefined {
  const before = run.memberships ?? [];
  const last = before.at(-1);
  const there = new Set(last?.ranks ?? run.ranks.map(({ rank }) => rank));
  const named = [...next.ranks, ...next.lost];
  const all = new Set(run.ranks.map(({ rank }) => rank));
  const fits =
    next.generation > (last?.generation ?? 0) &&
    next.ranks.length < there.size &&
    next.ranks.every((rank) => there.has(rank)) &&
    new Set(named).size === named.length &&
    next.lost.every((rank) => all.has(rank));
  return fits ? [...before, next] : undefined;
}
