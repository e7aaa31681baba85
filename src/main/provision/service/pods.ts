/**
 * Pods of labs on Kubernetes: what the access pod waits for is said, and where the cluster has no shared folder, a preparation creates
 * the pods before its first step, and deletes them where it fails.
 */
import { plain } from '../../../shared/base/phrase.ts';
import { hasSharedFolder, kubernetesOf } from '../../../shared/lab/reached.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import type { PodMachines } from '../../kubernetes/index.ts';
import type { SshSession } from '../../ssh/index.ts';
import type { ReadinessBook } from '../node/readiness.ts';
import type { ProvisionerOptions } from './options.ts';

export interface Pods {
  /** The session to a node; during a preparation after all of the lab's pods run. */
  session(lab: LabDocument, node: LabNode, signal: AbortSignal): Promise<SshSession>;
  /** @param work prepares the lab's nodes, or some of them */
  during<T>(lab: LabDocument, work: () => Promise<T>): Promise<T>;
}

interface Preparation {
  /** How many are in progress for this lab. */
  count: number;
  raised?: Promise<boolean> | undefined;
  created: boolean;
}

export function createPods(reach: ProvisionerOptions['reach'], book: Pick<ReadinessBook, 'node'>): Pods {
  const preparing = new Map<string, Preparation>();
  const machinesOf = (lab: LabDocument): PodMachines | undefined => {
    const target = kubernetesOf(lab);
    return target === undefined || hasSharedFolder(lab) ? undefined : reach.cluster?.(target).machines(lab);
  };
  const showWaiting = (lab: LabDocument, why: string): void => {
    for (const { id } of trainingNodes(lab)) {
      const step = book.node(lab.id, id).step('reach');
      step.log.add(why);
      step.set({ summary: plain(why) });
    }
  };
  return {
    async session(lab, node, signal) {
      const now = preparing.get(lab.id);
      if (now !== undefined) {
        now.raised ??= machinesOf(lab)?.raise(signal, (why) => showWaiting(lab, why));
        if ((await now.raised) === true) now.created = true;
        const target = kubernetesOf(lab);
        if (target !== undefined && hasSharedFolder(lab))
          await reach.cluster?.(target).access(signal, (why) => showWaiting(lab, why));
      }
      return await reach.session(lab, node.id, signal);
    },
    async during(lab, work) {
      const now = preparing.get(lab.id) ?? { count: 0, created: false };
      preparing.set(lab.id, now);
      now.count += 1;
      try {
        return await work();
      } catch (error) {
        // Pods that are not used would keep their machines' GPUs from others. Those that were there may train.
        const pods = now.created && now.count === 1 ? machinesOf(lab) : undefined;
        await pods?.remove().catch(() => undefined);
        throw error;
      } finally {
        now.count -= 1;
        if (now.count === 0) preparing.delete(lab.id);
      }
    },
  };
}
