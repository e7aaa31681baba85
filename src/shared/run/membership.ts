/** Who takes part in a run that lost ranks and went on with the others (native/PROTOCOL.md, 'Going on with fewer'). Pure. */
import { z } from 'zod';
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
}

/** The rank that has rank 0's part. */
export const firstMember = ({ memberships }: Members): number => memberships?.at(-1)?.ranks[0] ?? 0;

/** The record of that rank. */
export const firstMemberOf = <R extends { readonly rank: number }>(
  run: Members & { readonly ranks: readonly R[] },
): R | undefined => run.ranks.find(({ rank }) => rank === firstMember(run));

/** Every rank that has, or had, rank 0's part, in their order. */
export const firstMembers = ({ memberships = [] }: Members): number[] => [
  ...new Set([0, ...memberships.flatMap(({ ranks }) => ranks.slice(0, 1))]),
];

/** How many ranks take part. @param worldSize how many started */
export const membersLeft = ({ memberships }: Members, worldSize: number): number =>
  memberships?.at(-1)?.ranks.length ?? worldSize;

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
