/**
 * Selects the launcher for where a lab says that it runs. Beside the launchers' folders only two more places of `run/` know which
 * clusters there are: `cluster-facts.ts`, which asks one what it offers before there is a run, and `service/runs.ts`, which passes
 * Slurm's controllers on, since all that asks one has to ask in turn.
 */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { clusterOf, hasSharedFolder } from '../../../shared/lab/reached.ts';
import type { EventLog } from '../../base/events.ts';
import type { Clock } from '../../base/clock.ts';
import type { Reach } from '../../local/index.ts';
import type { Launcher } from '../record/launcher.ts';
import type { RunSettings } from '../record/settings.ts';
import { createKubernetesLauncher } from './kubernetes/kubernetes-launcher.ts';
import { createSlurmControllers, type SlurmControllers } from './slurm/controller.ts';
import { createLeftJobs } from './slurm/left-jobs.ts';
import { createSlurmLauncher } from './slurm/slurm-launcher.ts';
import { createSshLauncher } from './ssh/ssh-launcher.ts';

export interface LaunchersOptions {
  readonly reach: Reach;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly settings: RunSettings;
  readonly slurmControllers?: SlurmControllers | undefined;
  /** Aborted where the app closes. */
  readonly closing?: AbortSignal | undefined;
}

export function createLaunchers({
  reach: defaultReach,
  events,
  clock,
  settings,
  slurmControllers = createSlurmControllers(clock),
  closing = new AbortController().signal,
}: LaunchersOptions): (lab: LabDocument, reach?: Reach) => Launcher {
  return (lab, reach = defaultReach) => {
    const { bootIdFile, readTimeout: timeout } = settings;
    const where = clusterOf(lab);
    const session = (signal?: AbortSignal) => reach.session(lab, lab.nodes[0]?.id ?? '', signal);
    switch (where?.type) {
      case 'slurm': {
        const controller = slurmControllers(where.login);
        const left = createLeftJobs({
          ...{ cluster: where.login.host, controller, clock, settings, closing },
          session: (signal) => defaultReach.session(lab, lab.nodes[0]?.id ?? '', signal),
        });
        return createSlurmLauncher({
          ...{ lab, slurm: where, session, controller, left, clock, bootIdFile, timeout },
        });
      }
      case 'kubernetes': {
        // Without a claim its pods are machines of their own, as those reached over SSH.
        if (!hasSharedFolder(lab)) break;
        const cluster = reach.cluster(where);
        return createKubernetesLauncher({ lab, target: where, cluster, session, clock, bootIdFile, timeout });
      }
      case undefined:
        break;
    }
    const machines = where?.type === 'kubernetes' ? reach.cluster(where).machines(lab) : undefined;
    const launcher = createSshLauncher({
      session: (nodeId, signal) => reach.session(lab, nodeId, signal),
      ...{ clock, bootIdFile, timeout },
      onShared: (node, runs) =>
        events.emit('app.problem', {
          error: { code: 'node_shared', params: { node, runs: runs.join(', ') }, where: node },
        }),
    });
    if (machines === undefined) return launcher;
    return { ...launcher, release: () => machines.remove() };
  };
}
