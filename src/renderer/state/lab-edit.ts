/**
 * Edits of a lab document as values, applied by one pure function that also returns the inverse. Unchanged parts keep their
 * identity, so that only changed parts are rendered again.
 */
import type { Annotation } from '../../shared/lab/annotation.ts';
import type { Experiment, LabDocument, LabLink, LabNode } from '../../shared/lab/lab.ts';

interface Placed<T> {
  /** Its index in the document's list after the whole edit. */
  readonly index: number;
  readonly item: T;
}

export type LabEdit =
  | { readonly type: 'lab'; readonly change: Partial<Pick<LabDocument, 'name' | 'description'>> }
  | { readonly type: 'experiment'; readonly change: Partial<Experiment> }
  | { readonly type: 'node'; readonly nodeId: string; readonly change: Partial<Omit<LabNode, 'id'>> }
  | { readonly type: 'link'; readonly linkId: string; readonly change: Partial<Omit<LabLink, 'id'>> }
  | {
      readonly type: 'annotation';
      readonly annotationId: string;
      readonly change: Partial<Omit<Annotation, 'id'>>;
    }
  | {
      readonly type: 'move';
      /** By node id. */
      readonly positions: Positions;
      /** By annotation id. */
      readonly annotations?: Positions;
    }
  /** In ascending order of index. */
  | {
      readonly type: 'insert';
      readonly nodes: readonly Placed<LabNode>[];
      readonly links: readonly Placed<LabLink>[];
      readonly annotations?: readonly Placed<Annotation>[];
    }
  /** Links that lose an end are removed with their node. */
  | {
      readonly type: 'remove';
      readonly nodeIds: readonly string[];
      readonly linkIds: readonly string[];
      readonly annotationIds?: readonly string[];
    }
  /** Applied in order, and undone as one. */
  | { readonly type: 'several'; readonly edits: readonly LabEdit[] };

type Positions = Readonly<Record<string, LabNode['position']>>;

export interface Applied {
  /** The same object if the edit changes nothing. */
  readonly lab: LabDocument;
  readonly inverse: LabEdit;
}

/** Applies an edit. Never throws and never mutates: an edit of a missing part changes nothing. */
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
    case 'annotation': {
      const old = lab.annotations?.find((one) => one.id === edit.annotationId);
      const change = old === undefined ? undefined : changed(old, edit.change);
      if (change === undefined || lab.annotations === undefined)
        return { lab, inverse: { ...edit, change: {} } };
      const annotations = lab.annotations.map((one) => (one === old ? { ...one, ...change.to } : one));
      return { lab: { ...lab, annotations }, inverse: { ...edit, change: change.from } };
    }
    case 'move': {
      const nodes = moved(lab.nodes, edit.positions);
      const annotations = moved(lab.annotations ?? [], edit.annotations ?? {});
      return {
        lab: withParts(lab, { nodes: nodes.list, annotations: annotations.list }),
        inverse: { type: 'move', positions: nodes.before, annotations: annotations.before },
      };
    }
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

/** The fields of `change` that differ from `from`, with old and new values; undefined if none differs. */
function changed<T extends object>(
  from: T,
  change: Partial<T>,
): { from: Partial<T>; to: Partial<T> } | undefined {
  const before: Partial<T> = {};
  const after: Partial<T> = {};
  let any = false;
  for (const key of Object.keys(change) as (keyof T)[]) {
    const value = change[key];
    // Undefined means an optional field that was absent: undo removes it again.
    if (same(from[key], value)) continue;
    before[key] = from[key];
    after[key] = value;
    any = true;
  }
  return any ? { from: before, to: after } : undefined;
}

/** Equal as JSON: the values of a document are plain. */
const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

interface Moved<T> {
  /** The same list if nothing moved. */
  readonly list: T[];
  readonly before: Positions;
}

function moved<T extends Pick<LabNode, 'id' | 'position'>>(list: T[], positions: Positions): Moved<T> {
  const before: Record<string, LabNode['position']> = {};
  const next = list.map((item) => {
    const to = Object.hasOwn(positions, item.id) ? positions[item.id] : undefined;
    if (to === undefined || (to.x === item.position.x && to.y === item.position.y)) return item;
    before[item.id] = item.position;
    return { ...item, position: to };
  });
  return { list: Object.keys(before).length === 0 ? list : next, before };
}

type Parts = Pick<LabDocument, 'nodes'> & Partial<Pick<LabDocument, 'links'>> & { annotations: Annotation[] };

/** The same document if all lists are the same; an empty list of annotations is removed, as in a new document. */
function withParts(lab: LabDocument, { nodes, links = lab.links, annotations }: Parts): LabDocument {
  const isSame =
    (annotations.length === 0 && lab.annotations === undefined) || annotations === lab.annotations;
  if (nodes === lab.nodes && links === lab.links && isSame) return lab;
  const noted = annotations.length === 0 ? undefined : annotations;
  return { ...lab, nodes, links, ...(isSame ? {} : { annotations: noted }) };
}

function insert(lab: LabDocument, edit: Extract<LabEdit, { type: 'insert' }>): Applied {
  const nodes = fresh(lab.nodes, edit.nodes);
  const links = linkable(lab, [...lab.nodes, ...nodes.map(({ item }) => item)], fresh(lab.links, edit.links));
  const annotations = fresh(lab.annotations ?? [], edit.annotations ?? []);
  const idsOf = (placed: readonly Placed<{ readonly id: string }>[]): string[] =>
    placed.map(({ item }) => item.id);
  return {
    lab: withParts(lab, {
      nodes: spliced(lab.nodes, nodes),
      links: spliced(lab.links, links),
      annotations: spliced(lab.annotations ?? [], annotations),
    }),
    inverse: {
      type: 'remove',
      nodeIds: idsOf(nodes),
      linkIds: idsOf(links),
      annotationIds: idsOf(annotations),
    },
  };
}

/** The items whose ids are not in use. */
function fresh<T extends { readonly id: string }>(
  list: readonly T[],
  placed: readonly Placed<T>[],
): readonly Placed<T>[] {
  const ids = new Set(list.map(({ id }) => id));
  return placed.filter(({ item }) => !ids.has(item.id));
}

/** Of these links those between two of the nodes that have none: another window may have removed a node, or linked them. */
function linkable(
  lab: LabDocument,
  nodes: readonly LabNode[],
  placed: readonly Placed<LabLink>[],
): readonly Placed<LabLink>[] {
  if (placed.length === 0) return placed;
  const ids = new Set(nodes.map(({ id }) => id));
  const between = ({ ends }: LabLink): string => ends.toSorted().join(' ');
  const linked = new Set(lab.links.map(between));
  return placed.filter(({ item }) => item.ends.every((end) => ids.has(end)) && !linked.has(between(item)));
}

function spliced<T>(list: T[], placed: readonly Placed<T>[]): T[] {
  if (placed.length === 0) return list;
  const next = [...list];
  for (const { index, item } of placed) next.splice(Math.min(index, next.length), 0, item);
  return next;
}

function remove(lab: LabDocument, edit: Extract<LabEdit, { type: 'remove' }>): Applied {
  const removedNodes = new Set(edit.nodeIds);
  const removedLinks = new Set(edit.linkIds);
  const removedAnnotations = new Set(edit.annotationIds);
  const nodes = without(lab.nodes, ({ id }) => removedNodes.has(id));
  const links = without(
    lab.links,
    ({ id, ends }) => removedLinks.has(id) || ends.some((end) => removedNodes.has(end)),
  );
  const annotations = without(lab.annotations ?? [], ({ id }) => removedAnnotations.has(id));
  return {
    lab: withParts(lab, { nodes: nodes.kept, links: links.kept, annotations: annotations.kept }),
    inverse: { type: 'insert', nodes: nodes.removed, links: links.removed, annotations: annotations.removed },
  };
}

/** The remaining items (the same list if all remain), and the removed ones with their indices. */
function without<T>(list: T[], goes: (item: T) => boolean): { kept: T[]; removed: Placed<T>[] } {
  const removed: Placed<T>[] = [];
  const kept = list.filter((item, index) => {
    if (!goes(item)) return true;
    removed.push({ index, item });
    return false;
  });
  return { kept: removed.length === 0 ? list : kept, removed };
}
