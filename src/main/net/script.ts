/** Generates the shell text that creates, shapes and removes a planned network. Pure; run as root with `set -e`. */
import { formatMark, bridgeDevice, managementDevice, type Mark } from './names.ts';
import type { NetworkPlan, PlannedLink } from './plan.ts';
import { shapeCommands, type KernelMeans, type Shape } from './shaping.ts';

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Lines for `ip` or `tc` in one namespace; one process for hundreds of routes. */
const batch = (program: 'ip' | 'tc', namespace: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${program} -n ${quote(namespace)} -batch - <<'END'`, ...lines, 'END'];

const unfinished = 'unfinished';
/**
 * Forwarding nodes need the first two; IPv6's own traffic would count as the experiment's. BBR mistakes the
 * microseconds of an idle emulated link for its round trip and then sends too little: three nodes' all-reduce of 3 MB
 * took 4.6 s over 10 Mbps, and 3.4 s with Reno, which every kernel has.
 */
const kernelSettings = [
  'echo 1 > /proc/sys/net/ipv4/ip_forward',
  'for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done',
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
  for (const { device, ends } of plan.links) {
    const [a, b] = ends;
    lines.push(
      `ip -n ${quote(a.namespace)} link add ${device} type veth peer name ${device} netns ${quote(b.namespace)}`,
    );
  }
  for (const node of plan.nodes) {
    const ends = plan.links
      .flatMap((link) => link.ends)
      .filter(({ namespace }) => namespace === node.namespace);
    const settings = ends.flatMap(({ device, address, isPort }) => [
      ...(address === undefined ? [] : [`address add ${address} dev ${device}`]),
      ...(isPort ? [`link set ${device} master ${bridgeDevice}`] : []),
      `link set ${device} up`,
    ]);
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
  lines.push(...shapeLines(plan.links, shapes, means));
  for (const { namespace, nodeId } of plan.nodes)
    lines.push(`ip -n ${quote(namespace)} ${markOf(nodeId, plan.structure)}`);
  return `${lines.join('\n')}\n`;
}

/** A link that was down has lost its routes: restores them. */
export const routesScript = (plan: NetworkPlan): string => `set -e\n${routeLines(plan).join('\n')}\n`;

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

export const shapeScript = (
  links: readonly PlannedLink[],
  shapes: ReadonlyMap<string, Shape>,
  means: KernelMeans,
): string => `set -e\n${shapeLines(links, shapes, means).join('\n')}\n`;

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
      if (!root.includes(' htb ')) return batch('tc', namespace, words);
      // An existing htb cannot be replaced and need not be: its class is.
      const at = quote(namespace);
      return [
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
    // The process of a wireguard-go tunnel would keep the namespace alive.
    ...namespaces.map(
      (name) =>
        `for link in $(ip -n ${quote(name)} -o link show 2>/dev/null | sed -n 's/^[0-9]*: \\(rlwg[0-9a-f]*\\)[:@].*/\\1/p'); do ip -n ${quote(name)} link delete "$link" || :; done`,
    ),
    ...namespaces.map((name) => `ip netns delete ${quote(name)}`),
    '',
  ].join('\n');

/** Where one device of a veth pair is down, the other loses its carrier, too. */
export const downScript = (link: PlannedLink, down: boolean): string =>
  `set -e\n${link.ends.map(({ namespace, device }) => `ip -n ${quote(namespace)} link set ${device} ${down ? 'down' : 'up'}`).join('\n')}\n`;
