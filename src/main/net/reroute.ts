/** The routes of a raised network while links of it are down. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import { planNetwork, type NetworkPlan } from './plan.ts';
import { routesScript } from './script.ts';

export interface Routed {
  readonly plan: NetworkPlan;
  /** As the plan was made. */
  readonly drawn: LabDocument;
  /** As it is drawn now. */
  readonly lab: LabDocument;
  /** Ids of links. */
  readonly down: ReadonlySet<string>;
}

/** Whether traffic leaves links that are down. */
export const reroutes = ({ lab }: Pick<Routed, 'lab'>): boolean => lab.experiment.onLinkDown === 'reroute';

/**
 * Sets all routes: the kernel drops those of a device that goes down, and does not restore them. Destinations that no way leads to keep
 * their last routes, which end at the link that is down.
 */
export function routesNow(network: Routed, owner: string): string {
  const { plan, drawn, down } = network;
  return routesScript(reroutes(network) ? { ...plan, routes: planNetwork(drawn, owner, down).routes } : plan);
}
