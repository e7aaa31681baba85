/** New nodes and links: unused names and ids, and a free place on the grid. */
import type { Annotation } from '../../shared/lab/annotation.ts';
import {
  defaultPlacement,
  LabDocument,
  type LabLink,
  type LabNode,
  type NodeKind,
} from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import type { LabEdit } from './lab-edit.ts';

/** Pixels between the grid's dots; nodes are aligned to them. */
export const gridStep = 20;
export const defaultBandwidthMbps = 10;

type Position = LabNode['position'];
export const snap = (at: Position): Position => ({
  // JSON, the format of stored labs, has no -0.
  x: Math.round(at.x / gridStep) * gridStep + 0,
  y: Math.round(at.y / gridStep) * gridStep + 0,
});

/** Eight random characters that no id in the lab has. */
export function freeId(taken: ReadonlySet<string>, prefix: string): string {
  for (;;) {
    const id = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
    if (!taken.has(id)) return id;
  }
}

/** The first free name: N1, N2 … for nodes that train, S1 … for switches. */
function freeName(names: ReadonlySet<string>, kind: NodeKind): string {
  const letter = kind === 'switch' ? 'S' : 'N';
  for (let number = 1; ; number += 1) {
    const name = `${letter}${number}`;
    if (!names.has(name)) return name;
  }
}

const namesOf = (lab: LabDocument): Set<string> => new Set(lab.nodes.map((node) => node.name.trim()));

/** Between new cards: room for a link with its label. */
const gap = 4 * gridStep;
/** A cell of the places for new cards. */
const cell = { width: cardSize.width + gap, height: cardSize.height + gap };
const cells = new Map<number, readonly Position[]>();

/** The cells at most so many columns and rows from a cell, the nearest first; at equal distance the one to the right, then below. */
function around(reach: number): readonly Position[] {
  const side = 2 * reach + 1;
  const found =
    cells.get(reach) ??
    Array.from({ length: side * side }, (_, index) => ({
      x: ((index % side) - reach) * cell.width,
      y: (Math.floor(index / side) - reach) * cell.height,
    })).sort((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y) || b.x - a.x || b.y - a.y);
  cells.set(reach, found);
  return found;
}

/**
 * The requested place, or the nearest free one around it.
 * @param room that it leaves to other cards, also to those that were added when the view had another middle
 */
function freePlace(nodes: readonly LabNode[], asked: Position, room: number): Position {
  const at = snap(asked);
  // Cards by squares of the size in which another one would be too near: only those of nine squares are compared.
  const size = { x: cardSize.width + room, y: cardSize.height + room };
  // One number for a column and a row: there are fewer than a million rows between the drawing's ends.
  const squareOf = ({ x, y }: Position): number => Math.floor(x / size.x) * 1e6 + Math.floor(y / size.y);
  const squares = new Map<number, Position[]>();
  for (const { position } of nodes) {
    const there = squares.get(squareOf(position));
    if (there === undefined) squares.set(squareOf(position), [position]);
    else there.push(position);
  }
  const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => dx * 1e6 + dy));
  const taken = (place: Position): boolean =>
    near.some((by) =>
      squares
        .get(squareOf(place) + by)
        ?.some((card) => Math.abs(card.x - place.x) < size.x && Math.abs(card.y - place.y) < size.y),
    );
  // A card takes at most four cells, so that there is a free one within reach.
  for (let reach = 20; ; reach *= 2)
    for (const { x, y } of around(reach)) {
      const place = { x: at.x + x, y: at.y + y };
      if (!taken(place)) return place;
    }
}

/** A node of a kind whose card has its middle at `centre`; with `avoid`, beside existing cards. */
export function newNode(lab: LabDocument, kind: NodeKind, centre: Position, avoid: boolean): LabNode {
  const corner = { x: centre.x - cardSize.width / 2, y: centre.y - cardSize.height / 2 };
  return {
    id: freeId(new Set(lab.nodes.map((node) => node.id)), 'n'),
    name: freeName(namesOf(lab), kind),
    kind,
    position: avoid ? freePlace(lab.nodes, corner, 3 * gridStep) : snap(corner),
    placement: defaultPlacement(kind),
    access: { type: 'local' },
  };
}

export const insertNode = (lab: LabDocument, node: LabNode): LabEdit => ({
  type: 'insert',
  nodes: [{ index: lab.nodes.length, item: node }],
  links: [],
});

export type LinkRefusal = 'itself' | 'duplicate' | 'missing';

/** Why two nodes cannot be linked, or undefined if they can. */
export function refuseLink(lab: LabDocument, a: string, b: string): LinkRefusal | undefined {
  if (a === b) return 'itself';
  const ids = new Set(lab.nodes.map((node) => node.id));
  if (!ids.has(a) || !ids.has(b)) return 'missing';
  return findLink(lab, a, b) === undefined ? undefined : 'duplicate';
}

export const findLink = (lab: LabDocument, a: string, b: string): LabLink | undefined =>
  lab.links.find(({ ends: [from, to] }) => (from === a && to === b) || (from === b && to === a));

export function newLink(lab: LabDocument, a: string, b: string): LabLink {
  return {
    id: freeId(new Set(lab.links.map((link) => link.id)), 'l'),
    ends: [a, b],
    bandwidthMbps: defaultBandwidthMbps,
    delayMs: 0,
    lossPercent: 0,
  };
}

export const insertLink = (lab: LabDocument, link: LabLink): LabEdit => ({
  type: 'insert',
  nodes: [],
  links: [{ index: lab.links.length, item: link }],
});

/** Nodes and the links among them, to be inserted into a lab. */
export interface Parts {
  readonly nodes: readonly LabNode[];
  readonly links: readonly LabLink[];
  readonly annotations?: readonly Annotation[];
}

/** The nodes and annotations of these ids, with the links among the nodes; undefined if there is neither. */
export function takeParts(
  lab: LabDocument,
  nodeIds: readonly string[],
  annotationIds: readonly string[] = [],
): Parts | undefined {
  const ids = new Set(nodeIds);
  const noted = new Set(annotationIds);
  const nodes = lab.nodes.filter((node) => ids.has(node.id));
  const annotations = lab.annotations?.filter(({ id }) => noted.has(id)) ?? [];
  if (nodes.length + annotations.length === 0) return undefined;
  return {
    nodes,
    links: lab.links.filter(({ ends: [a, b] }) => ids.has(a) && ids.has(b)),
    annotations,
  };
}

export interface Inserted {
  readonly edit: LabEdit;
  /** The inserted parts. */
  readonly selection: { readonly nodes: string[]; readonly links: []; readonly annotations: string[] };
}

const maxNameLength = LabDocument.shape.name.maxLength ?? 120;

/**
 * The groups that copies get, by those of their originals: a copied group is another group, since one of both would be framed and
 * moved together. A copy of some of a group's nodes joins it.
 */
function groupsOfCopies(lab: LabDocument, { nodes }: Parts): ReadonlyMap<string, string> {
  const groupOf = ({ group = '' }: LabNode): string => group;
  const taken = new Set([...lab.nodes, ...nodes].map(groupOf));
  const copied = new Set(nodes.map(({ id }) => id));
  const groups = new Map<string, string>();
  for (const group of new Set(nodes.map(groupOf))) {
    const members = lab.nodes.filter((node) => groupOf(node) === group);
    const left = members.filter(({ id }) => !copied.has(id)).length;
    const isPart = left > 0 && left < members.length;
    if (group === '' || members.length === 0 || isPart) continue;
    const number = / (\d{1,6})$/.exec(group);
    const base = number === null ? group : group.slice(0, number.index);
    for (let next = Number(number?.[1] ?? 1) + 1; !groups.has(group); next += 1) {
      const tail = ` ${next}`;
      const name = `${base.slice(0, maxNameLength - tail.length)}${tail}`;
      if (!taken.has(name)) groups.set(group, name);
    }
    taken.add(groups.get(group) ?? group);
  }
  return groups;
}

/** Inserts parts into a lab under new ids; names of nodes and of groups that are in use are replaced by free ones. */
export function insertParts(lab: LabDocument, parts: Parts, offset: Position): Inserted {
  const ids = new Set(lab.nodes.map((node) => node.id));
  const linkIds = new Set(lab.links.map((link) => link.id));
  const names = namesOf(lab);
  const groups = groupsOfCopies(lab, parts);
  const copyOf = new Map<string, string>();
  const nodes = parts.nodes.map((original, order) => {
    const id = freeId(ids, 'n');
    ids.add(id);
    copyOf.set(original.id, id);
    const name = names.has(original.name.trim()) ? freeName(names, original.kind) : original.name;
    names.add(name.trim());
    const position = { x: original.position.x + offset.x, y: original.position.y + offset.y };
    const group = groups.get(original.group ?? '');
    const item = {
      ...structuredClone(original),
      id,
      name,
      position,
      ...(group === undefined ? {} : { group }),
    };
    return { index: lab.nodes.length + order, item };
  });
  const links = parts.links.flatMap((link) => {
    const [a, b] = [copyOf.get(link.ends[0]), copyOf.get(link.ends[1])];
    if (a === undefined || b === undefined) return [];
    const id = freeId(linkIds, 'l');
    linkIds.add(id);
    const ends: LabLink['ends'] = [a, b];
    return [{ ...link, id, ends }];
  });
  const notes = lab.annotations ?? [];
  const noteIds = new Set(notes.map(({ id }) => id));
  const annotations = (parts.annotations ?? []).map((original, order) => {
    const id = freeId(noteIds, 'a');
    noteIds.add(id);
    const position = { x: original.position.x + offset.x, y: original.position.y + offset.y };
    return { index: notes.length + order, item: { ...original, id, position } };
  });
  return {
    edit: {
      type: 'insert',
      nodes,
      links: links.map((item, order) => ({ index: lab.links.length + order, item })),
      annotations,
    },
    selection: {
      nodes: nodes.map(({ item }) => item.id),
      links: [],
      annotations: annotations.map(({ item }) => item.id),
    },
  };
}

/** Copies of parts, two steps down and right, with the links among them. Undefined if there is nothing to copy. */
export function duplicateParts(
  lab: LabDocument,
  nodeIds: readonly string[],
  annotationIds?: readonly string[],
): Inserted | undefined {
  const parts = takeParts(lab, nodeIds, annotationIds);
  return parts === undefined ? undefined : insertParts(lab, parts, freeOffset(lab, parts));
}

/**
 * The offset at which parts cover no other part of the lab, or at least not their originals.
 * @param first the offset that is tried first
 */
export function pasteOffset(lab: LabDocument, parts: Parts, first: Position = { x: 0, y: 0 }): Position {
  const taken = new Set(
    [...lab.nodes, ...(lab.annotations ?? [])].map(({ position }) => `${position.x} ${position.y}`),
  );
  const all = [...parts.nodes, ...(parts.annotations ?? [])];
  for (let steps = 0; ; steps += 2) {
    const by = { x: first.x + steps * gridStep, y: first.y + steps * gridStep };
    if (all.every(({ position }) => !taken.has(`${position.x + by.x} ${position.y + by.y}`))) return by;
  }
}

/** The offset of copies: one is placed beside its original; several are moved together. */
function freeOffset(lab: LabDocument, { nodes: originals, annotations = [] }: Parts): Position {
  const [only] = originals;
  if (originals.length + annotations.length > 1 || only === undefined)
    return { x: 2 * gridStep, y: 2 * gridStep };
  const beside = { x: only.position.x + cardSize.width + gridStep, y: only.position.y };
  const place = freePlace(lab.nodes, beside, gridStep);
  return { x: place.x - only.position.x, y: place.y - only.position.y };
}
