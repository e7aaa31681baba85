/** What the labs' clusters offered when they were last asked, for as long as the window is open. */
import { create } from 'zustand';
import type { SlurmTarget } from '../../../shared/lab/where.ts';
import type { SlurmFacts } from '../../../shared/node/slurm-facts.ts';

interface ClusterFactsStore {
  /** By login. */
  readonly facts: ReadonlyMap<string, SlurmFacts>;
}

const maxClusters = 50;

const useClusterFactsStore = create<ClusterFactsStore>(() => ({ facts: new Map() }));

const keyOf = ({ login: { user, host, port } }: SlurmTarget): string => `${user}@${host}:${port}`;

/** Undefined before the cluster was asked. */
export const useClusterFacts = (slurm: SlurmTarget): SlurmFacts | undefined =>
  useClusterFactsStore((state) => state.facts.get(keyOf(slurm)));

export function putClusterFacts(slurm: SlurmTarget, facts: SlurmFacts): void {
  const known = new Map(useClusterFactsStore.getState().facts);
  known.delete(keyOf(slurm));
  known.set(keyOf(slurm), facts);
  const [oldest] = known.keys();
  if (known.size > maxClusters && oldest !== undefined) known.delete(oldest);
  useClusterFactsStore.setState({ facts: known });
}
