/** What a machine has, as found on it: in contrast to what is drawn of it. */
import * as z from 'zod';
import type { LabNode } from '../lab/lab.ts';
import type { NodeFacts } from './provision.ts';

export const Hardware = z.object({
  cpus: z.number().int().positive(),
  memoryBytes: z.number().nonnegative(),
  /** The names of its GPUs. */
  gpus: z.array(z.string()),
});
export type Hardware = z.infer<typeof Hardware>;

/** '2 × A', '1 × B': equal names once, in their order. */
export function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`);
}

/** Cores that may be used: a container may have fewer than its machine. May be a fraction. */
export const allowedCpus = ({ cpus, limits }: Pick<NodeFacts, 'cpus' | 'limits'>): number =>
  Math.min(cpus, limits?.cpus ?? cpus);

/**
 * What is known of a node's hardware: what was found on it, or on this computer for a local node; undefined where it
 * is only drawn yet.
 */
export function foundHardware(
  { access }: Pick<LabNode, 'access'>,
  facts: NodeFacts | undefined,
  thisComputer: Hardware | undefined,
): Hardware | undefined {
  if (facts === undefined) return access.type === 'local' ? thisComputer : undefined;
  const { limits } = facts;
  return {
    cpus: Math.max(1, Math.floor(allowedCpus(facts))),
    memoryBytes: limits?.memoryBytes ?? facts.memoryBytes,
    gpus: facts.gpus.map(({ name }) => name),
  };
}
