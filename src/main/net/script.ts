/** Generates the shell text that creates, shapes and removes a planned network. Pure; run as root with `set -e`. */
import { posix } from 'node:path';
import { bridgeDevice, formatMark, linkSocket, managementDevice, type Mark } from './names.ts';
import type { NetworkPlan, PlannedEnd, PlannedLink } from './plan.ts';
import { needsProgram, packetsAtOnce, shapeCommands, type KernelMeans, type Shape } from './shaping.ts';

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Lines for `ip` or `tc` in one namespace; one process for hundreds of routes. */
const batch = (program: 'ip' | 'tc', namespace: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${program} -n ${quote(namespace)} -batch - <<'END'`, ...lines, 'END'];

const unfinished = 'unfinished';
/**
 * Forwarding nodes need the first two. A node with two links into one group of switches answers for each link's address at that link only,
 * as drawn: by default it does at both. IPv6's own traffic would count as the experiment's. BBR mistakes the
 * microseconds of an idle emulated link for its round trip and then sends too little: three nodes' all-reduce of 3 MB
 * took 4.6 s over 10 Mbps, and 3.4 s with Reno, which every kernel has.
 */
const kernelSettings = [
  'echo 1 > /proc/sys/net/ipv4/ip_forward',
  'for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done',
  'echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore; echo 2 > /proc/sys/net/ipv4/conf/all/arp_announce',
  'if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; fi',
  'case $(cat /proc/sys/net/ipv4/tcp_congestion_control) in bbr*) echo reno > /proc/sys/net/ipv4/tcp_congestion_control;; esac',
].join('; ');

/**
 * The name by which programs that take an interface instead of an address (Gloo's Python binding) find a node's own
 * address: its label, since `lo` alone names 127.0.0.1.
 */
export const ownAddressInterface = 'lo:ringlab';

/** Both addresses of a node's management link, in a block of 1024 of 198.18.0.0/15 (RFC 2544). */
export const managementAddresses = (block: number, index: number): readonly [host: string, node: string] => {
  const value = 0xc6_12_00_00 + block * 1024 + index * 4;
  const dotted = (at: number): string => [24, 16, 8, 0].map((shift) => (at >>> shift) & 255).join('.');
  return [dotted(value + 1), dotted(value + 2)];
};
/** Blocks that fit into 198.18.0.0/15. */
export const managementBlocks = 128;

/**
 * @param block of management addresses, -1 for none
 * @param shapes by link id
 */
export function buildScript(
  plan: NetworkPlan,
  owner: string,
  block: number,
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string {
  const markOf = (nodeId: string, structure: string): string => {
    const mark: Mark = { owner, labId: plan.labId, nodeId, structure, block };
    return `link set lo alias "${formatMark(mark)}"`;
  };
  const lines = ['set -e'];
  for (const { namespace, nodeId, isSwitch } of plan.nodes) {
    // One of our names without a mount: left from a container that has ended.
    lines.push(
      `ip -n ${quote(namespace)} link show dev lo > /dev/null 2>&1 || rm -f /run/netns/${quote(namespace)}`,
    );
    lines.push(`ip netns add ${quote(namespace)}`);
    lines.push(...batch('ip', namespace, [markOf(nodeId, unfinished), 'link set lo up']));
    lines.push(`nsenter --net=/run/netns/${quote(namespace)} sh -c ${quote(kernelSettings)}`);
    if (!isSwitch) continue;
    lines.push(
      ...batch('ip', namespace, [
        `link add ${bridgeDevice} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
        `link set ${bridgeDevice} up`,
      ]),
    );
  }
  for (const link of plan.links)
    lines.push(...deviceLines(link, needsProgram(shapes.get(link.linkId) ?? noShape, means)));
  for (const node of plan.nodes) {
    const ends = plan.links
      .flatMap((link) => link.ends)
      .filter(({ namespace }) => namespace === node.namespace);
    const settings = ends.flatMap(endLines);
    if (node.address !== undefined)
      settings.unshift(`address add ${node.address}/32 dev lo label ${ownAddressInterface}`);
    lines.push(...batch('ip', node.namespace, settings));
    if (node.management !== undefined && block >= 0) {
      const { hostDevice, index } = node.management;
      const [host, inside] = managementAddresses(block, index);
      lines.push(
        `ip link add ${hostDevice} type veth peer name ${managementDevice} netns ${quote(node.namespace)}`,
        `ip link set ${hostDevice} alias "${formatMark({ owner, labId: plan.labId, nodeId: node.nodeId, structure: plan.structure, block })}"`,
        `ip address add ${host}/30 dev ${hostDevice}`,
        `ip link set ${hostDevice} up`,
        ...batch('ip', node.namespace, [
          `address add ${inside}/30 dev ${managementDevice}`,
          `link set ${managementDevice} up`,
        ]),
      );
    }
  }
  lines.push(...routeLines(plan));
  lines.push(...shapeLines(plan.links, shapes, means), ...programLines(plan, shapes, means));
  for (const { namespace, nodeId } of plan.nodes)
    lines.push(`ip -n ${quote(namespace)} ${markOf(nodeId, plan.structure)}`);
  return `${lines.join('\n')}\n`;
}

/** Of a link whose shape is not known. */
const noShape: Shape = { bandwidthMbps: 0, delayMs: 0, lossPercent: 0 };

/** Both devices of a link: a veth pair, or TAP devices that the trainer's `link` command joins. */
function deviceLines({ device, ends: [a, b] }: PlannedLink, isTap: boolean): string[] {
  if (isTap)
    return [a, b].map(({ namespace }) => `ip -n ${quote(namespace)} tuntap add dev ${device} mode tap`);
  return [
    `ip -n ${quote(a.namespace)} link add ${device} type veth peer name ${device} netns ${quote(b.namespace)}`,
  ];
}

const endLines = ({ device, address, isPort }: PlannedEnd): string[] => [
  ...(address === undefined ? [] : [`address add ${address} dev ${device}`]),
  ...(isPort ? [`link set ${device} master ${bridgeDevice}`] : []),
  `link set ${device} up`,
];

/** Replaces the devices of links that are of the other kind now, as a cable would be: connections survive, since their addresses are on `lo`. */
function changeLines(
  plan: NetworkPlan,
  links: readonly PlannedLink[],
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string[] {
  const changes = links.flatMap((link) => {
    const isTap = needsProgram(shapes.get(link.linkId) ?? noShape, means);
    const [first] = link.ends;
    const show = `ip -n ${quote(first.namespace)} -d -o link show dev ${link.device}`;
    return [
      `if ${isTap ? '! ' : ''}${show} | grep -q ' tun type tap'; then`,
      `${show} | grep -q '[<,]UP[,>]' && up=up || up=down`,
      ...link.ends.map(
        ({ namespace, device }) => `ip -n ${quote(namespace)} link delete ${device} 2> /dev/null || :`,
      ),
      ...deviceLines(link, isTap),
      ...link.ends.flatMap((end) => batch('ip', end.namespace, endLines(end))),
      ...link.ends.map(({ namespace, device }) => `ip -n ${quote(namespace)} link set ${device} $up`),
      'changed=1',
      'fi',
    ];
  });
  return ['changed=', ...changes, 'if [ -n "$changed" ]; then', ...routeLines(plan), 'fi'];
}

/** Passes the program the table of its links. It ends by itself when it has none, or when the devices are removed. */
function programLines(plan: NetworkPlan, shapes: ReadonlyMap<string, Shape>, means: KernelMeans): string[] {
  if (means.linkProgram === undefined) return [];
  const socket = linkSocket(plan);
  const command = `${quote(means.linkProgram)} link ${socket}`;
  const rows = plan.links.flatMap(({ linkId, device, ends: [a, b] }) => {
    const shape = shapes.get(linkId) ?? noShape;
    if (!needsProgram(shape, means)) return [];
    const micros = (ms: number): number => Math.round(ms * 1000);
    const { delayMs, jitterMs = 0, lossPercent } = shape;
    return [`${device} ${a.namespace} ${b.namespace} ${micros(delayMs)} ${micros(jitterMs)} ${lossPercent}`];
  });
  if (rows.length === 0) return [`if [ -S ${socket} ]; then ${command} < /dev/null; fi`];
  return [`mkdir -p -m 700 ${posix.dirname(socket)}`, `${command} <<'END'`, ...rows, 'END'];
}

/** A link that was down has lost its routes: restores them, and which links between switches carry frames. */
export const routesScript = (plan: NetworkPlan): string =>
  `set -e\n${[...portLines(plan), ...routeLines(plan)].join('\n')}\n`;

/** First what is no port any more: there is no cycle in between. Bridges know addresses at ports where they may not be now. */
function portLines(plan: NetworkPlan): string[] {
  const ends = plan.links
    .map((link) => link.ends)
    .filter((pair) => pair.every(({ address }) => address === undefined))
    .flat();
  const set = ({ namespace, device, isPort }: PlannedEnd): string =>
    `ip -n ${quote(namespace)} link set ${device} ${isPort ? `master ${bridgeDevice}` : 'nomaster'}`;
  return [
    ...ends.filter(({ isPort }) => !isPort).map(set),
    ...ends.filter(({ isPort }) => isPort).map(set),
    ...[...new Set(ends.map(({ namespace }) => namespace))].map(
      (namespace) => `ip -n ${quote(namespace)} link set ${bridgeDevice} type bridge fdb_flush`,
    ),
  ];
}

function routeLines(plan: NetworkPlan): string[] {
  return plan.nodes.flatMap(({ namespace }) =>
    batch(
      'ip',
      namespace,
      plan.routes
        .filter((route) => route.namespace === namespace)
        .map(
          ({ to, via, device, source }) => `route replace ${to}/32 via ${via} dev ${device} src ${source}`,
        ),
    ),
  );
}

/** Brings these links to their shapes, and all of the program's links with them. */
export function shapeScript(
  plan: NetworkPlan,
  links: readonly PlannedLink[],
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string {
  const devices = means.linkProgram === undefined ? [] : changeLines(plan, links, shapes, means);
  const lines = [...devices, ...shapeLines(links, shapes, means), ...programLines(plan, shapes, means)];
  return `set -e\n${lines.join('\n')}\n`;
}

/** Starts the program again where it was killed: its devices, which stay, have no carrier without it. */
export const rejoinScript = (
  plan: NetworkPlan,
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string => `set -e\n${programLines(plan, shapes, means).join('\n')}\n`;

function shapeLines(
  links: readonly PlannedLink[],
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string[] {
  return links.flatMap(({ linkId, ends }) => {
    const shape = shapes.get(linkId);
    if (shape === undefined) return [];
    return ends.flatMap(({ namespace, device }) => {
      const words = shapeCommands(device, shape, means).map((command) => command.join(' '));
      const [root = ''] = words;
      const at = quote(namespace);
      // Where the kernel or iproute2 cannot, larger pieces are no reason to have no link.
      const pieces = `ip -n ${at} link set ${device} gso_max_segs ${packetsAtOnce(shape)} 2> /dev/null || :`;
      if (!root.includes(' htb ')) return [pieces, ...batch('tc', namespace, words)];
      // An existing htb cannot be replaced and need not be: its class is.
      return [
        pieces,
        `tc -n ${at} qdisc show dev ${device} | grep -q '^qdisc htb 1: root' || tc -n ${at} ${root}`,
        ...batch('tc', namespace, words.slice(1)),
      ];
    });
  });
}

/**
 * Removes namespaces with their links; the caller has verified their marks. The host's devices go first: a namespace
 * is removed asynchronously, and its device names are needed again at once.
 */
export const removeScript = (namespaces: readonly string[], hostDevices: readonly string[]): string =>
  [
    ...hostDevices.map((name) => `ip link delete ${quote(name)} 2>/dev/null || :`),
    // The process of a wireguard-go tunnel, or of emulated links, would keep the namespace alive.
    ...namespaces.map(
      (name) =>
        `for link in $(ip -n ${quote(name)} -o link show type tun 2>/dev/null | sed -n 's/^[0-9]*: \\(rl[0-9a-z]*\\)[:@].*/\\1/p'); do ip -n ${quote(name)} link delete "$link" || :; done`,
    ),
    ...namespaces.map((name) => `ip netns delete ${quote(name)}`),
    '',
  ].join('\n');

/** Where one device of a veth pair is down, the other loses its carrier, too. */
export const downScript = (link: PlannedLink, down: boolean): string =>
  `set -e\n${link.ends.map(({ namespace, device }) => `ip -n ${quote(namespace)} link set ${device} ${down ? 'down' : 'up'}`).join('\n')}\n`;
