/** For tests: a lab of three small nodes that trains on a cluster of this machine. */
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../../shared/lab/lab.ts';
import type { SlurmTarget } from '../../../../../shared/lab/where.ts';
import { createRealBench, type RealBench } from '../../../testing/real-services.ts';
import type { SlurmCluster } from './cluster.ts';

/** Three drawn nodes of this computer, whose run is a job of the cluster. */
export function clusterLab(
  { sshd }: Pick<SlurmCluster, 'sshd'>,
  change: Partial<SlurmTarget> = {},
  epochs = 2,
): LabDocument {
  const lab = emptyLab('lab-slurm', 'On a cluster');
  lab.nodes = ['a', 'b', 'c'].map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: { ...defaultPlacement('cpu'), cpus: 1, memoryGb: 1 },
    access: { type: 'local' },
  }));
  const { host, port, user, keyFile } = sshd;
  lab.experiment = {
    ...lab.experiment,
    architecture: 'shufflenet_v2_x0_5',
    data: { type: 'shapes', train: 60, validation: 30, size: 16, seed: 1 },
    epochs,
    batchSize: 21,
    where: {
      type: 'slurm',
      login: { type: 'ssh', host, port, user, authentication: { method: 'key', keyFile } },
      ...change,
    },
  };
  return lab;
}

/** The app's services for such a lab; they know the login node's key. */
export const openOnCluster = (
  cluster: SlurmCluster,
  lab: LabDocument,
  knownHosts = cluster.sshd.knownHostsLine,
): Promise<RealBench> => createRealBench({ lab, knownHosts });
