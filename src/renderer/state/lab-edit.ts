/**
 * Edits of a lab document as values, applied by one pure function that gives back the inverse too. What an edit does
 * not touch keeps its identity, so that only what changed is drawn anew.
 */
import type { Experiment, LabDocument, LabLink, LabNode } from '../../shared/lab.ts';

export interface Placed<T> {
  /** Where it stands in the document's list, once all of the edit is applied. */
  readonly index: number;
  readonly item: T;
}

export type LabEdit =
  | { readonly type: 'lab'; readonly change: Partial<Pick<LabDocument, 'name' | 'description'>> }
  | { readonly type: 'experiment'; readonly change: Partial<Experiment> }
  | { readonly type: 'node'; readonly nodeId: string; readonly change: Partial<Omit<LabNode, 'id'>> }
  | { readonly type: 'link'; readonly linkId: string; readonly change: Partial<Omit<LabLink, 'id'>> }
  /** Positions by node id. */
  | { readonly type: 'move'; readonly positions: Readonly<Record<string, LabNode['position']>> }
  /** In ascending order of index. */
  | {
      readonly type: 'insert';
      readonly nodes: readonly Placed<LabNode>[];
      readonly links: readonly Placed<LabLink>[];
    }
  /** Links that lose an end go with their node. */
  | { readonly type: 'remove'; readonly nodeIds: readonly string[]; readonly linkIds: readonly string[] }
  /** Done one after the other, undone as one. */
  | { readonly type: 'several'; readonly edits: readonly LabEdit[] };

export interface Applied {
  /** The very same document where the edit changes nothing. */
  readonly lab: LabDocument;
  readonly inverse: LabEdit;
}

/** Applies an edit. Never throws and never mutates: an edit of what is not there changes nothing. */
export function applyEdit(lab: LabDocument, edit: LabEdit): Applied {
  switch (edit.type) {
    case 'lab': {
      const change = changed(lab, edit.change);
      return change === undefined
        ? { lab, inverse: { type: 'lab', change: {} } }
        : { lab: { ...lab, ...change.to }, inverse: { type: 'lab', change: change.from } };
    }
    case 'experiment': {
      const change = changed(lab.experiment, edit.change);
      return change === undefined
        ? { lab, inverse: { type: 'experiment', change: {} } }
        : {
            lab: { ...lab, experiment: { ...lab.experiment, ...change.to } },
            inverse: { type: 'experiment', change: change.from },
          };
    }
    case 'node': {
      const node = lab.nodes.find((one) => one.id === edit.nodeId);
      const change = node === undefined ? undefined : changed(node, edit.change);
      return change === undefined
        ? { lab, inverse: { ...edit, change: {} } }
        : {
            lab: {
              ...lab,
              nodes: lab.nodes.map((one) => (one.id === edit.nodeId ? { ...one, ...change.to } : one)),
            },
            inverse: { ...edit, change: change.from },
          };
    }
    case 'link': {
      const link = lab.links.find((one) => one.id === edit.linkId);
      const change = link === undefined ? undefined : changed(link, edit.change);
      return change === undefined
        ? { lab, inverse: { ...edit, change: {} } }
        : {
            lab: {
              ...lab,
              links: lab.links.map((one) => (one.id === edit.linkId ? { ...one, ...change.to } : one)),
            },
            inverse: { ...edit, change: change.from },
          };
    }
    case 'move':
      return move(lab, edit.positions);
    case 'insert':
      return insert(lab, edit);
    case 'remove':
      return remove(lab, edit);
    case 'several': {
      let now = lab;
      const inverses: LabEdit[] = [];
      for (const one of edit.edits) {
        const applied = applyEdit(now, one);
        now = applied.lab;
        inverses.unshift(applied.inverse);
      }
      return { lab: now, inverse: { type: 'several', edits: inverses } };
    }
  }
}

/** The fields of `change` that differ from `from`, as they were and as they become; undefined where none does. */
function changed<T extends object>(
  from: T,
  change: Partial<T>,
): { from: Partial<T>; to: Partial<T> } | undefined {
  const before: Partial<T> = {};
  const after: Partial<T> = {};
  let any = false;
  for (const key of Object.keys(change) as (keyof T)[]) {
    const value = change[key];
    // An undefined one is an optional field that was absent before: undoing takes it away again.
    if (same(from[key], value)) continue;
    before[key] = from[key];
    after[key] = value;
    any = true;
  }
  return any ? { from: before, to: after } : undefined;
}

/** Equal as JSON: the values of a document are plain. */
const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function move(lab: LabDocument, positions: Readonly<Record<string, LabNode['position']>>): Applied {
  const before: Record<string, LabNode['position']> = {};
  const nodes = lab.nodes.map((node) => {
    const to = Object.hasOwn(positions, node.id) ? positions[node.id] : undefined;
    if (to === undefined || (to.x === node.position.x && to.y === node.position.y)) return node;
    before[node.id] = node.position;
    return { ...node, position: to };
  });
  const inverse: LabEdit = { type: 'move', positions: before };
  return Object.keys(before).length === 0 ? { lab, inverse } : { lab: { ...lab, nodes }, inverse };
}

function insert(lab: LabDocument, edit: Extract<LabEdit, { type: 'insert' }>): Applied {
  const nodeIds = new Set(lab.nodes.map((node) => node.id));
  const linkIds = new Set(lab.links.map((link) => link.id));
  const nodes = edit.nodes.filter(({ item }) => !nodeIds.has(item.id));
  const links = edit.links.filter(({ item }) => !linkIds.has(item.id));
  return {
    lab:
      nodes.length + links.length === 0
        ? lab
        : { ...lab, nodes: spliced(lab.nodes, nodes), links: spliced(lab.links, links) },
    inverse: {
      type: 'remove',
      nodeIds: nodes.map(({ item }) => item.id),
      linkIds: links.map(({ item }) => item.id),
    },
  };
}

function spliced<T>(list: T[], placed: readonly Placed<T>[]): T[] {
  if (placed.length === 0) return list;
  const next = [...list];
  for (const { index, item } of placed) next.splice(Math.min(index, next.length), 0, item);
  return next;
}

function remove(lab: LabDocument, edit: Extract<LabEdit, { type: 'remove' }>): Applied {
  const goneNodes = new Set(edit.nodeIds);
  const goneLinks = new Set(edit.linkIds);
  const nodes: Placed<LabNode>[] = [];
  const links: Placed<LabLink>[] = [];
  const keptNodes = lab.nodes.filter((item, index) => {
    if (!goneNodes.has(item.id)) return true;
    nodes.push({ index, item });
    return false;
  });
  const keptLinks = lab.links.filter((item, index) => {
    if (!goneLinks.has(item.id) && !item.ends.some((end) => goneNodes.has(end))) return true;
    links.push({ index, item });
    return false;
  });
  return {
    lab:
      nodes.length + links.length === 0
        ? lab
        : {
            ...lab,
            nodes: nodes.length === 0 ? lab.nodes : keptNodes,
            links: links.length === 0 ? lab.links : keptLinks,
          },
    inverse: { type: 'insert', nodes, links },
  };
}
