/** The clusters that the app uses: one connection for each, shared by all labs and runs. */
import { createHash } from 'node:crypto';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { createAccessPod, type AccessPod } from './access.ts';
import { createApi } from './api.ts';
import type { Kubernetes, KubernetesCluster, ObjectWatch, PodMachines } from './contract.ts';
import { readFacts } from './facts.ts';
import { createMachines, machinesName } from './machines.ts';
import { watchObjects } from './watch.ts';

export interface KubernetesOptions {
  /** The user's home folder on this computer: of `~/.kube/config`. */
  readonly home: string;
  /** Names the pods: another app of the same namespace has its own. Called when a cluster is used; may throw. */
  readonly owner: () => string;
  readonly clock?: Clock;
}

/** Milliseconds for deleting the access pods when the app closes. */
const farewellMs = 3000;
const maxWatches = 500;
/** Labs whose pods are remembered. */
const maxMachines = 500;

interface Kept extends KubernetesCluster {
  readonly pod: AccessPod;
  stop(): void;
}

export function createKubernetes({ home, owner, clock = systemClock }: KubernetesOptions): Kubernetes {
  const clusters = new Map<string, Kept>();
  const make = (target: KubernetesTarget, key: string): Kept => {
    const me = owner();
    const api = createApi(target, home);
    const hash = createHash('sha256').update(`${me} ${key}`).digest('hex').slice(0, 10);
    const pod = createAccessPod({ api, target, name: `ringlab-access-${hash}`, clock });
    const watches = new Map<string, ObjectWatch>();
    const machines = new Map<string, PodMachines>();
    return {
      api,
      pod,
      facts: (signal) => readFacts(api, target, signal),
      access: (signal, waits) => pod.ensure(signal, waits),
      async run(command, terminal) {
        const name = await pod.ensure();
        try {
          const process = await api.exec(name, command, terminal);
          void process.ended.then((code) => {
            if (code === undefined) pod.doubt();
          });
          return process;
        } catch (error) {
          pod.doubt();
          throw error;
        }
      },
      machines(lab) {
        const known = machinesName({ target, lab, owner: me });
        const found = machines.get(known) ?? createMachines({ api, target, lab, owner: me, clock });
        machines.delete(known);
        machines.set(known, found);
        const [oldest] = machines.keys();
        if (machines.size > maxMachines && oldest !== undefined) machines.delete(oldest);
        return found;
      },
      watch(instance) {
        const known = watches.get(instance) ?? watchObjects(api, instance, clock);
        // The newest last: of the others only the map's entry is left once they are idle.
        watches.delete(instance);
        watches.set(instance, known);
        const [oldest] = watches.keys();
        if (watches.size > maxWatches && oldest !== undefined) watches.delete(oldest);
        return known;
      },
      stop() {
        for (const watch of watches.values()) watch.stop();
      },
    };
  };
  return {
    cluster(target) {
      const key = JSON.stringify(target);
      const known = clusters.get(key) ?? make(target, key);
      clusters.set(key, known);
      return known;
    },
    async close() {
      const used = [...clusters.values()];
      clusters.clear();
      for (const one of used) one.stop();
      await Promise.allSettled(used.map(({ pod }) => pod.remove(AbortSignal.timeout(farewellMs))));
    },
  };
}
