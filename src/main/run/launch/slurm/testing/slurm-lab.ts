/** For tests: the lab of a Slurm cluster on this machine, and the services that run it. */
import type { LabDocument } from '../../../../../shared/lab/lab.ts';
import type { SlurmTarget } from '../../../../../shared/lab/where.ts';
import { createRealBench, type RealBench } from '../../../testing/real-services.ts';
import { clusterLab } from '../../testing/cluster-lab.ts';
import type { SlurmCluster } from './cluster.ts';

/** The lab's run is a job of the cluster, submitted on its login node. */
export function slurmLab(
  { sshd: { host, port, user, keyFile } }: Pick<SlurmCluster, 'sshd'>,
  change: Partial<SlurmTarget> = {},
  epochs = 2,
): LabDocument {
  const login: SlurmTarget['login'] = {
    ...{ type: 'ssh', host, port, user },
    authentication: { method: 'key', keyFile },
  };
  return clusterLab({ type: 'slurm', login, ...change }, { epochs });
}

/** The app's services for such a lab; they know the login node's key. */
export const openOnCluster = (
  cluster: SlurmCluster,
  lab: LabDocument,
  knownHosts = cluster.sshd.knownHostsLine,
): Promise<RealBench> => createRealBench({ lab, knownHosts });
