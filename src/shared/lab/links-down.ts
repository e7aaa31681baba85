/** Which of the links that are down keep a lab's machines from each other, and what a link is called. Pure. */
import { trainingNodes, type LabDocument, type LabLink } from './lab.ts';
import { topologyOf, unreachablePair, type DrawnNetwork } from './topology.ts';

/** 'N1–N2'. */
export function linkName({ nodes }: Pick<LabDocument, 'nodes'>, { ends }: LabLink): string {
  return ends.map((id) => nodes.find((node) => node.id === id)?.name ?? id).join('–');
}

/** The drawing without the links that are down. */
export const withoutLinks = ({ nodes, links }: DrawnNetwork, down: ReadonlySet<string>): DrawnNetwork => ({
  nodes,
  links: links.filter(({ id }) => !down.has(id)),
});

/**
 * The links that are down; none where traffic takes other ways and all machines still reach each other.
 * @param down ids of links
 */
export function separatingLinks(lab: LabDocument, down: ReadonlySet<string>): LabLink[] {
  const links = lab.links.filter(({ id }) => down.has(id));
  if (links.length === 0 || lab.experiment.onLinkDown !== 'reroute') return links;
  const machines = trainingNodes(lab).map(({ id }) => id);
  return unreachablePair(topologyOf(withoutLinks(lab, down)), machines) === undefined ? [] : links;
}
