/**
 * Plans the kernel objects of a drawn topology: a namespace for each node, a veth pair for each link, a bridge in
 * each switch's namespace, addresses, routes. Pure. Everything is in the lab's own namespaces, so that addresses
 * cannot collide; only the host's ends of management links are outside.
 */
import type { LabDocument, LabLink } from '../../shared/lab/lab.ts';
import { withoutLinks } from '../../shared/lab/links-down.ts';
import { switchGroups, topologyOf, type Hop, type Topology } from '../../shared/lab/topology.ts';
import { hostDevice, linkDevice, namespaceOf, structureHash } from './names.ts';

/** More nodes on one computer would mostly swap. */
export const maxNodes = 128;

interface PlannedNode {
  readonly nodeId: string;
  readonly namespace: string;
  readonly isSwitch: boolean;
  /** On `lo`; a switch has none. */
  readonly address: string | undefined;
  readonly management: { readonly hostDevice: string; readonly index: number } | undefined;
}

/** One end of a drawn link; both ends have devices of the same name. */
export interface PlannedEnd {
  readonly namespace: string;
  readonly device: string;
  /** With its prefix length; an end in a switch has none. */
  readonly address: string | undefined;
  /** Whether it is a port of its switch's bridge. */
  readonly isPort: boolean;
}
export interface PlannedLink {
  readonly linkId: string;
  readonly device: string;
  readonly ends: readonly [PlannedEnd, PlannedEnd];
}

interface PlannedRoute {
  readonly namespace: string;
  readonly to: string;
  readonly via: string;
  readonly device: string;
  /** The node's own address, which its peers use. */
  readonly source: string;
}

export interface NetworkPlan {
  readonly labId: string;
  readonly nodes: readonly PlannedNode[];
  readonly links: readonly PlannedLink[];
  readonly routes: readonly PlannedRoute[];
  /** Hash of all of the above. */
  readonly structure: string;
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const nodeBase = 0x0a_00_00_00; // 10.0.0.0/16, from .1 on
const linkBase = 0x0a_40_00_00; // 10.64.0.0/10: four addresses for each link
const segmentBase = 0x0a_80_00_00; // 10.128.0.0/9: 65,536 addresses for each group of switches, since `maxNodes` may have thousands of links into one

/**
 * The lab has passed `checkLab`: no dangling, duplicate or self links.
 * @param down links that routes do not take, and that are no ports; one that is blocked may be a port in their place
 */
export function planNetwork(
  lab: LabDocument,
  owner: string,
  down: ReadonlySet<string> = new Set(),
): NetworkPlan {
  const nodes = lab.nodes.map((node, index): PlannedNode => {
    const isSwitch = node.kind === 'switch';
    return {
      nodeId: node.id,
      namespace: namespaceOf(owner, lab.id, node.id),
      isSwitch,
      address: isSwitch ? undefined : dotted(nodeBase + index + 1),
      management: isSwitch ? undefined : { hostDevice: hostDevice(owner, lab.id, index), index },
    };
  });
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const segments = switchGroups(lab);
  const left = withoutLinks(lab, down);
  const { blocked } = switchGroups(left);
  const joined = new Map<number, number>();
  /** The address of a link's end, by link and node. */
  const addresses = new Map<string, string>();
  const endOf = (link: LabLink, index: number, place: 0 | 1): PlannedEnd => {
    const [here, there] = place === 0 ? link.ends : [link.ends[1], link.ends[0]];
    const node = byId.get(here);
    if (node === undefined) throw new RangeError(`link ${link.id} dangles at ${here}`);
    const device = linkDevice(index);
    const at = { namespace: node.namespace, device };
    if (node.isSwitch)
      return { ...at, address: undefined, isPort: !blocked.has(link.id) && !down.has(link.id) };
    const segment = segments.of(there);
    const slot = segment === undefined ? 0 : (joined.get(segment) ?? 0) + 1;
    if (segment !== undefined) joined.set(segment, slot);
    const address =
      segment === undefined
        ? dotted(linkBase + 4 * index + 1 + place)
        : dotted(segmentBase + 65_536 * segment + slot);
    addresses.set(`${link.id} ${node.nodeId}`, address);
    return { ...at, address: `${address}/${segment === undefined ? 30 : 16}`, isPort: false };
  };
  const links = lab.links.map((link, index): PlannedLink => ({
    linkId: link.id,
    device: linkDevice(index),
    ends: [endOf(link, index, 0), endOf(link, index, 1)],
  }));
  const routes = routesOf(topologyOf(left), byId, links, addresses);
  const planned = { nodes, links, routes };
  return { labId: lab.id, ...planned, structure: structureHash(planned) };
}

function routesOf(
  topology: Topology,
  byId: ReadonlyMap<string, PlannedNode>,
  links: readonly PlannedLink[],
  addresses: ReadonlyMap<string, string>,
): PlannedRoute[] {
  const devices = new Map(links.map(({ linkId, device }) => [linkId, device]));
  const hosts = [...byId.values()].filter((node) => !node.isSwitch);
  /** The last link before the first node that is not a switch, which has the next router's address. */
  const arrival = (hops: readonly Hop[]): Hop | undefined =>
    hops.find((hop) => byId.get(hop.to)?.isSwitch === false);
  return hosts.flatMap((from) =>
    hosts.flatMap((to): PlannedRoute[] => {
      const hops = from === to ? undefined : topology.route(from.nodeId, to.nodeId);
      const first = hops?.[0];
      const next = hops === undefined ? undefined : arrival(hops);
      const via = next === undefined ? undefined : addresses.get(`${next.linkId} ${next.to}`);
      const device = first === undefined ? undefined : devices.get(first.linkId);
      if (via === undefined || device === undefined || to.address === undefined || from.address === undefined)
        return [];
      return [{ namespace: from.namespace, to: to.address, via, device, source: from.address }];
    }),
  );
}
