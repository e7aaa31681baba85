/** Imports containerlab's topology files (YAML). Values that containerlab lacks are in labels and vars. */
import { isMap, isScalar, parseDocument, type Document } from 'yaml';
import type { Phrase } from '../../shared/base/phrase.ts';
import { phrase } from '../../shared/i18n/say.ts';
import * as z from 'zod';
import { maxPixels } from '../../shared/lab/annotation.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { valueProblem } from '../../shared/i18n/value-problem.ts';
import { hasMore, maxValues } from '../../shared/lab/read-lab.ts';
import {
  defaultPlacement,
  emptyLab,
  LabDocument,
  LabLink,
  maxLinks,
  maxNodes,
  type LabNode,
} from '../../shared/lab/lab.ts';
import { layOut } from '../state/arrange.ts';
import { applyEdit } from '../state/lab-edit.ts';
import { defaultBandwidthMbps, freeId } from '../state/new-parts.ts';
import { kindOf } from './containerlab-kinds.ts';

const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Labels = z.record(z.string(), Text.nullish());
const Node = z
  .object({
    kind: Text.nullish(),
    image: Text.nullish(),
    group: Text.nullish(),
    labels: Labels.nullish(),
  })
  .nullish();
type Node = z.infer<typeof Node>;
/** `node:interface` in the short form, or both as separate fields. */
const Endpoint = z.union([z.string(), z.object({ node: Text, interface: Text.nullish() })]);
/** Other variables of a link may be lists and maps. */
const LinkValues = z.object({
  bandwidthMbps: Text.nullish(),
  delayMs: Text.nullish(),
  jitterMs: Text.nullish(),
  lossPercent: Text.nullish(),
});
const Link = z.object({
  endpoints: z.array(Endpoint).optional(),
  endpoint: Endpoint.optional(),
  vars: LinkValues.nullish(),
  labels: LinkValues.nullish(),
});
const Topology = z.object({
  name: Text.nullish(),
  topology: z.object({
    defaults: Node,
    kinds: z.record(z.string(), Node).nullish(),
    groups: z.record(z.string(), Node).nullish(),
    nodes: z.record(z.string(), Node),
    links: z.array(Link).nullish(),
  }),
});

const Sizes = z.object({
  topology: z.object({
    nodes: z.custom<object>((nodes) => typeof nodes === 'object' && nodes !== null),
    links: z.custom<readonly unknown[]>((links) => Array.isArray(links)).nullish(),
  }),
});

/** The largest lab has 4 million characters in this format. */
const maxText = 6 * 1024 * 1024;
/** Layers of more nodes are too many, or too wide, to be seen as such. */
const maxLayered = 300;

export interface ReadTopology {
  readonly lab: LabDocument;
  /** The file's links that are not drawn, each as `node:interface – node:interface`. */
  readonly leftOut: readonly string[];
}

const invalid = (where: string, path: string, problem: string | Phrase): RinglabError =>
  new RinglabError('lab_invalid', { path, problem }, { where });

/**
 * Reads a containerlab file as a lab. Throws `lab_unreadable` for invalid YAML, and `lab_invalid`, with the path inside
 * the file, for an invalid topology.
 */
export function fromContainerlab(text: string, where: string): ReadTopology {
  if (text.length > maxText)
    throw new RinglabError('lab_too_large', { bytes: text.length, limit: maxText }, { where });
  let value: unknown;
  let order: readonly string[];
  try {
    // The check for duplicate keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'error' });
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    value = document.toJS({ maxAliasCount: 100 });
    order = nodeOrder(document);
  } catch (error) {
    throw new RinglabError(
      'lab_unreadable',
      {},
      { where, detail: error instanceof Error ? error.message : '', cause: error },
    );
  }
  checkSize(value, where);
  const parsed = Topology.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(where, issue?.path.map(String).join('.') ?? '', valueProblem(issue));
  }
  const { topology } = parsed.data;
  const name = parsed.data.name ?? where.replace(/\.(clab\.)?ya?ml$/i, '');
  const places = new Map(order.map((node, index) => [node, index]));
  const placeOf = (node: string): number => places.get(node) ?? order.length;
  const ordered = Object.entries(topology.nodes).sort(([a], [b]) => placeOf(a) - placeOf(b));
  const ids = new Map(ordered.map(([node], index) => [node, `n-${index + 1}`]));
  const placed = new Set<string>();
  const nodes = ordered.map(([nodeName, given]): LabNode => {
    const { kindName, image, group, labels } = inherited(given, topology);
    const [x, y] = [Number(labels['graph-posX'] ?? Number.NaN), Number(labels['graph-posY'] ?? Number.NaN)];
    const isPlaced = Math.abs(x) <= maxPixels && Math.abs(y) <= maxPixels;
    if (isPlaced) placed.add(nodeName);
    const gpus = Number(labels.gpus ?? Number.NaN);
    const own = given?.labels ?? {};
    const kind = kindOf({ exported: own['ringlab-kind'], kindName, image, gpus });
    const placement = defaultPlacement(kind);
    const isCount = kind === 'gpu' && Number.isInteger(gpus) && gpus >= 0 && gpus <= 64;
    const count = isCount ? gpus : placement.flavour.gpuCount;
    return {
      id: ids.get(nodeName) ?? '',
      name: (own['ringlab-name'] ?? nodeName).slice(0, 120),
      kind,
      position: isPlaced ? { x, y } : { x: 0, y: 0 },
      placement: {
        ...placement,
        image: (image ?? placement.image).slice(0, 120),
        flavour: { ...placement.flavour, gpuCount: count },
      },
      access: { type: 'local' },
      ...(group === undefined ? {} : { group: group.slice(0, 120) }),
    };
  });
  const linked = new Set<string>();
  const leftOut: string[] = [];
  const links = (topology.links ?? []).flatMap((link, index): LabLink[] => {
    const ends = (link.endpoints ?? [])
      .map((end) => (typeof end === 'string' ? end.split(':', 1)[0] : end.node))
      .map((end) => ids.get(end ?? ''));
    const [a, b] = ends;
    // A link to the host, to a management network or with one end only connects no two nodes. Two nodes may have several links
    // there, and one here.
    const pair = ends.toSorted().join(' ');
    if (a === undefined || b === undefined || a === b || linked.has(pair)) {
      leftOut.push(linkName(link));
      return [];
    }
    linked.add(pair);
    const given = { ...link.labels, ...link.vars };
    const drawn = LabLink.safeParse({
      id: `l-${index + 1}`,
      ends: [a, b],
      bandwidthMbps: Number(given.bandwidthMbps ?? defaultBandwidthMbps),
      delayMs: Number(given.delayMs ?? 0),
      ...(given.jitterMs === undefined || given.jitterMs === null
        ? {}
        : { jitterMs: Number(given.jitterMs) }),
      lossPercent: Number(given.lossPercent ?? 0),
    });
    if (!drawn.success) {
      const [issue] = drawn.error.issues;
      throw invalid(
        where,
        `topology.links[${index}].${issue?.path.map(String).join('.') ?? ''}`,
        valueProblem(issue),
      );
    }
    return [drawn.data];
  });
  // A lab that is deleted leaves its id behind: its runs and what the window keeps of it must not be found under the next one's.
  const id = freeId(new Set(), 'lab');
  const drawn = LabDocument.safeParse({ ...emptyLab(id, name.slice(0, 120)), nodes, links });
  if (!drawn.success) {
    const [issue] = drawn.error.issues;
    throw invalid(where, issue?.path.map(String).join('.') ?? '', valueProblem(issue));
  }
  const lab = drawn.data;
  if (placed.size === nodes.length) return { lab, leftOut };
  const edit = layOut(
    lab,
    nodes.map((node) => node.id),
    nodes.length > maxLayered ? 'grid' : 'layered',
  );
  return { lab: edit === undefined ? lab : applyEdit(lab, edit).lab, leftOut };
}

/** A link of the file as its short form has it. */
const linkName = ({ endpoints = [], endpoint }: z.infer<typeof Link>): string =>
  [...endpoints, ...(endpoint === undefined ? [] : [endpoint])]
    .map((end) => (typeof end === 'string' ? end : `${end.node}:${end.interface ?? ''}`).slice(0, 80))
    .slice(0, 2)
    .join(' – ');

/** What a node has of its own, or from its group, its kind and the defaults: as containerlab looks it up. */
function inherited(node: Node, { defaults, kinds, groups }: z.infer<typeof Topology>['topology']) {
  const named = (all: Record<string, Node> | null | undefined, name: string | null | undefined): Node =>
    Object.hasOwn(all ?? {}, name ?? '') ? all?.[name ?? ''] : undefined;
  const first = (part: 'kind' | 'image' | 'group', levels: readonly Node[]): string | undefined =>
    levels.map((level) => level?.[part] ?? '').find((text) => text !== '');
  const drawn = [node, named(groups, node?.group), named(groups, defaults?.group), defaults];
  const kindName = first('kind', drawn) ?? 'linux';
  const ofKind = named(kinds, kindName);
  const group = first('group', [node, ofKind, defaults]);
  const ofGroup = named(groups, group);
  return {
    kindName,
    group,
    image: first('image', [node, ofGroup, ofKind, defaults]),
    labels: { ...defaults?.labels, ...ofKind?.labels, ...ofGroup?.labels, ...node?.labels },
  };
}

/** The nodes' names as the file has them: an object puts whole numbers first, and the first node has rank 0. */
function nodeOrder(document: Document): string[] {
  const nodes = document.getIn(['topology', 'nodes']);
  return isMap(nodes) ? nodes.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')) : [];
}

/** A lab above the limits is refused before any expensive work. */
function checkSize(value: unknown, where: string): void {
  if (hasMore(value, maxValues)) throw invalid(where, '', phrase('labProblems.values', { count: maxValues }));
  const sizes = Sizes.safeParse(value);
  if (!sizes.success) return;
  const { nodes, links } = sizes.data.topology;
  for (const [part, there, limit] of [
    ['nodes', Object.keys(nodes).length, maxNodes],
    ['links', links?.length ?? 0, maxLinks],
  ] as const)
    if (there > limit)
      throw invalid(where, `topology.${part}`, phrase('labProblems.limit', { count: there, limit }));
}
