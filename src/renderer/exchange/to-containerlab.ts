/** Exports a lab as a containerlab file (YAML). Values that containerlab lacks are kept in labels and vars. */
import { stringify } from 'yaml';
import type { LabDocument, LabNode } from '../../shared/lab/lab.ts';

/** A bridge is an interface of the host, and Linux takes no longer names of those. */
const maxBridgeName = 15;

/** Unique names that are valid in containerlab. */
function safeNames(nodes: readonly LabNode[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    nodes.map((node) => {
      const max = node.kind === 'switch' ? maxBridgeName : Number.POSITIVE_INFINITY;
      const short = (text: string, tail: string): string => `${text.slice(0, max - tail.length)}${tail}`;
      const plain =
        node.name
          .trim()
          .replace(/[^A-Za-z0-9_.-]+/g, '-')
          .replace(/^[^A-Za-z0-9]+/, '') || 'node';
      let name = short(plain, '');
      for (let number = 2; taken.has(name); number += 1) name = short(plain, `-${number}`);
      taken.add(name);
      return [node.id, name];
    }),
  );
}

/** Each link's bandwidth, delay, jitter and loss are in its `vars`, for `containerlab tools netem`. */
export function toContainerlab(lab: LabDocument): string {
  const names = safeNames(lab.nodes);
  const used = new Map<string, number>();
  const bridges = new Set(lab.nodes.filter(({ kind }) => kind === 'switch').map(({ id }) => id));
  const interfaceOf = (nodeId: string): string => {
    // Ports of bridges are interfaces of the host, with one name each, and none that the host has.
    const isPort = bridges.has(nodeId);
    const place = isPort ? '' : nodeId;
    const number = (used.get(place) ?? 0) + 1;
    used.set(place, number);
    return `${names.get(nodeId) ?? nodeId}:${isPort ? 'rl-' : 'eth'}${number}`;
  };
  // A map keeps the order, also of names that are whole numbers.
  const nodes = new Map(
    lab.nodes.map((node) => {
      const { flavour, image } = node.placement;
      return [
        names.get(node.id) ?? node.id,
        {
          kind: node.kind === 'switch' ? 'bridge' : 'linux',
          ...(node.kind === 'switch' ? {} : { image: image.replace(/^(debian|ubuntu)-(\S+)$/, '$1:$2') }),
          ...((node.group ?? '') === '' ? {} : { group: node.group }),
          labels: {
            'graph-posX': String(node.position.x),
            'graph-posY': String(node.position.y),
            // What neither names nor kinds of containerlab can say.
            'ringlab-name': node.name,
            'ringlab-kind': node.kind,
            ...(node.kind === 'gpu' ? { gpus: String(flavour.gpuCount) } : {}),
          },
        },
      ];
    }),
  );
  const links = lab.links.map(({ ends: [a, b], bandwidthMbps, delayMs, jitterMs, lossPercent }) => ({
    endpoints: [interfaceOf(a), interfaceOf(b)],
    vars: { bandwidthMbps, delayMs, ...(jitterMs === undefined ? {} : { jitterMs }), lossPercent },
  }));
  const name = lab.name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'lab';
  return stringify({ name, topology: { nodes, links } });
}
