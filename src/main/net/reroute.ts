/** The routes of a raised network while links of it are down. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import { planNetwork, type NetworkPlan } from './plan.ts';
import { routesScript } from './script.ts';

export interface Routed {
  readonly plan: NetworkPlan;
  /** As the plan was made. */
  readonly drawn: LabDocument;
  /** As it is drawn now, with links of the plan that were deleted since. */
  readonly lab: LabDocument;
  /** Ids of links. */
  readonly down: ReadonlySet<string>;
}

/** Whether traffic leaves links that are down. */
export const reroutes = ({ lab }: Pick<Routed, 'lab'>): boolean => lab.experiment.onLinkDown === 'reroute';

/**
 * The plan with the ports and routes that can be set now: the kernel drops those of a device that goes down, does not restore them, and takes none over
 * it. Destinations that no way leads to keep their last routes, which end at the link that is down.
 */
export function planNow(network: Routed, owner: string): NetworkPlan {
  const { plan, drawn, down } = network;
  const { links, routes } = reroutes(network) ? planNetwork(drawn, owner, down) : plan;
  const dead = new Set(links.filter(({ linkId }) => down.has(linkId)).map(({ device }) => device));
  return { ...plan, links, routes: routes.filter(({ device }) => !dead.has(device)) };
}

/** Sets all ports and routes of links that are up. */
export const routesNow = (network: Routed, owner: string): string => routesScript(planNow(network, owner));
