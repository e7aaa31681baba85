/** For tests: a Kubernetes cluster on this machine: its own control plane, and stand-ins for the pods' machines (nodes.ts). */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import * as z from 'zod';
import { jobSetVersion } from '../../../../../shared/lab/job-set.ts';
import type { KubernetesTarget } from '../../../../../shared/lab/kubernetes.ts';
import { trainerBinary } from '../../../testing/real-services.ts';
import { raiseControlPlane, type ControlPlane } from './control-plane.ts';
import { startNodes } from './nodes.ts';

export interface RaisedKubernetes {
  readonly plane: ControlPlane;
  /** Its kubeconfig as an administrator, and one of an account without rights. */
  readonly kubeconfig: string;
  readonly rival: string;
  /** A lab's target on the shared claim. */
  target(change?: Partial<KubernetesTarget>): KubernetesTarget;
  /** The same, but each pod has its own disk. */
  withoutClaim(change?: Partial<KubernetesTarget>): KubernetesTarget;
  /** Everything of ours that is in the cluster: `pods/ringlab-access-…`. */
  left(): Promise<string[]>;
  /** Names of a job's pods that are not being deleted. */
  podsOf(job: string): Promise<string[]>;
  close(): Promise<void>;
}

const Objects = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }) }),
  ),
});
const pods = '/api/v1/namespaces/default/pods';
const kinds = [pods, '/api/v1/namespaces/default/services', '/apis/batch/v1/namespaces/default/jobs'];
const sets = `/apis/${jobSetVersion}/namespaces/default/jobsets`;

/** Three machines of two processors. */
export async function raiseKubernetes({ jobSets = false } = {}): Promise<RaisedKubernetes> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-kube-'));
  await chmod(folder, 0o777);
  const claim = await mkdtemp(join(tmpdir(), 'ringlab-claim-'));
  await chmod(claim, 0o777);
  const plane = await raiseControlPlane();
  if (jobSets)
    await plane.addJobSets().catch(async (error: unknown) => {
      await plane.close();
      throw error;
    });
  const kubeconfig = join(folder, 'kubeconfig');
  const rival = join(folder, 'rival');
  await plane.kubeconfig(kubeconfig, 'admin');
  await plane.kubeconfig(rival, 'rival');
  const nodes = await startNodes(plane, {
    names: ['machine-1', 'machine-2', 'machine-3'],
    offers: { cpu: '2', memory: '16Gi', pods: '110' },
    claim: { name: 'shared', folder: claim },
    path: [dirname(trainerBinary), '/usr/bin', '/bin'].join(delimiter),
  });
  const labelled = async (path: string, label: string) => {
    const { body } = await plane.request('GET', `${path}?labelSelector=${encodeURIComponent(label)}`);
    return Objects.parse(body).items.map(({ metadata }) => metadata);
  };
  const withoutClaim = (change: Partial<KubernetesTarget> = {}): KubernetesTarget => ({
    ...{ type: 'kubernetes', kubeconfig, image: 'registry.example/any:1' },
    ...change,
  });
  return {
    plane,
    kubeconfig,
    rival,
    target: (change = {}) => ({ ...withoutClaim(), claim: 'shared', ...change }),
    withoutClaim,
    async left() {
      const found = await Promise.all(
        [...kinds, ...(jobSets ? [sets] : [])].map(async (path) =>
          (await labelled(path, 'app.kubernetes.io/name=ringlab')).map(
            ({ name }) => `${path.split('/').at(-1)}/${name}`,
          ),
        ),
      );
      return found.flat().toSorted();
    },
    async podsOf(job) {
      const found = await labelled(pods, `app.kubernetes.io/instance=${job}`);
      return found.flatMap(({ name, deletionTimestamp }) => (deletionTimestamp === undefined ? [name] : []));
    },
    async close() {
      await nodes.close();
      await plane.close();
      await rm(folder, { recursive: true, force: true });
      await rm(claim, { recursive: true, force: true });
    },
  };
}
