/** The user's actions on the open lab, for every gesture, key and menu that starts them. */
import type { LabDocument, LabLink, LabNode, NodeKind } from '../../shared/lab/lab.ts';
import type { ConfigHost } from '../../shared/lab/ssh-config.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { camera } from './camera.ts';
import { applyEdit, type LabEdit } from './lab-edit.ts';
import { editLab, emptySelection, insertInLab, select, useLabStore } from './lab.ts';
import {
  duplicateParts,
  findLink,
  insertLink,
  insertNode,
  newLink,
  newNode,
  refuseLink,
  type LinkRefusal,
} from './new-parts.ts';
import { askBandwidth } from './view.ts';

/**
 * Adds a node with its middle at `centre` and selects it. With `avoid` it does not cover another one; the nearest free place may then
 * lie outside of the view, which shows everything in that case.
 */
export function addNode(kind: NodeKind, centre: { x: number; y: number }, avoid = false): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const node = newNode(lab, kind, centre, avoid);
  if (!insertInLab(insertNode(lab, node))) return;
  select({ nodes: [node.id], links: [] });
  const view = avoid ? camera()?.visible() : undefined;
  if (view === undefined) return;
  const { x, y } = node.position;
  const isSeen =
    x >= view.x &&
    y >= view.y &&
    x + cardSize.width <= view.x + view.width &&
    y + cardSize.height <= view.y + view.height;
  // After the canvas has drawn it.
  if (!isSeen) requestAnimationFrame(() => camera()?.showAll());
}

/** Adds hosts of an SSH configuration as nodes in rows around `centre`, one step of undo, and selects them. */
export function addHosts(
  hosts: readonly ConfigHost[],
  kind: NodeKind,
  centre: { x: number; y: number },
): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  let now = lab;
  const edits: LabEdit[] = [];
  const nodeIds: string[] = [];
  for (const { alias, host, port, user, authentication, jump } of hosts) {
    const fresh = newNode(now, kind, centre, true);
    const isFree = now.nodes.every((node) => node.name.trim() !== alias);
    const edit = insertNode(now, {
      ...fresh,
      name: isFree ? alias.slice(0, 120) : fresh.name,
      access: { type: 'ssh', host, port, user, authentication, ...(jump === undefined ? {} : { jump }) },
    });
    edits.push(edit);
    nodeIds.push(fresh.id);
    now = applyEdit(now, edit).lab;
  }
  if (insertInLab({ type: 'several', edits })) select({ nodes: nodeIds, links: [] });
}

/** Merges a new link and its first bandwidth into one undo step. */
export const newLinkKey = (linkId: string): string => `new-link.${linkId}`;

/** Links two nodes and asks for the bandwidth at once; or returns why they cannot be linked. */
export function linkNodes(a: string, b: string): LinkRefusal | undefined {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return 'missing';
  const refusal = refuseLink(lab, a, b);
  if (refusal === undefined) {
    const link = newLink(lab, a, b);
    if (!insertInLab(insertLink(lab, link), newLinkKey(link.id))) return undefined;
    // The link is selected after the question: until then the inspector must not show a second 'Bandwidth' field.
    select(emptySelection);
    askBandwidth(link.id);
  } else if (refusal === 'duplicate') {
    const link = findLink(lab, a, b);
    if (link !== undefined) select({ nodes: [], links: [link.id] });
  }
  return refusal;
}

/** Removes the selected parts that are not locked, and no link between two locked nodes; returns how many locked parts stayed. */
export function removeSelected(): number {
  const { lab, selection } = useLabStore.getState();
  const { nodes, links, annotations = [] } = selection;
  const lockedIds = (list: readonly { readonly id: string; readonly locked?: boolean | undefined }[] = []) =>
    new Set(list.filter(({ locked }) => locked === true).map(({ id }) => id));
  const [lockedNodes, lockedAnnotations] = [lockedIds(lab?.nodes), lockedIds(lab?.annotations)];
  const nodeIds = nodes.filter((id) => !lockedNodes.has(id));
  const annotationIds = annotations.filter((id) => !lockedAnnotations.has(id));
  // A link that is selected alone is meant; with both of its nodes it is a part of what is locked.
  const stay = new Set(nodes.filter((id) => lockedNodes.has(id)));
  const keptLinks = new Set(
    lab?.links.filter(({ ends }) => ends.every((end) => stay.has(end))).map(({ id }) => id),
  );
  const linkIds = links.filter((id) => !keptLinks.has(id));
  if (nodeIds.length + linkIds.length + annotationIds.length > 0) {
    editLab({ type: 'remove', nodeIds, linkIds, annotationIds });
  }
  return nodes.length - nodeIds.length + annotations.length - annotationIds.length;
}

/** The same change for many nodes or links, as one undo step. Typing in one field (`key`) is one undo step too. */
export function changeNodes(nodes: readonly Changed<LabNode>[], key?: string): void {
  editLab(
    { type: 'several', edits: nodes.map(({ id, change }) => ({ type: 'node', nodeId: id, change })) },
    key,
  );
}
export function changeLinks(links: readonly Changed<LabLink>[], key?: string): void {
  editLab(
    { type: 'several', edits: links.map(({ id, change }) => ({ type: 'link', linkId: id, change })) },
    key,
  );
}
interface Changed<T> {
  readonly id: string;
  readonly change: Partial<Omit<T, 'id'>>;
}

/** Groups the selected nodes; an empty name removes them from their groups. */
export function groupSelected(group: string): void {
  changeNodes(useLabStore.getState().selection.nodes.map((id) => ({ id, change: { group } })));
}

export function lockSelected(locked: boolean): void {
  const { nodes, annotations = [] } = useLabStore.getState().selection;
  editLab({
    type: 'several',
    edits: [
      ...nodes.map((nodeId): LabEdit => ({ type: 'node', nodeId, change: { locked } })),
      ...annotations.map((annotationId): LabEdit => ({
        type: 'annotation',
        annotationId,
        change: { locked },
      })),
    ],
  });
}

/** The first of 'Group 1', 'Group 2' … that is not in use. */
export function freeGroup(nameOf: (number: number) => string): string {
  const taken = new Set(useLabStore.getState().lab?.nodes.map((node) => node.group));
  for (let number = 1; ; number += 1) {
    const name = nameOf(number);
    if (!taken.has(name)) return name;
  }
}

/** The nodes that a layout or an alignment applies to: the selected ones, or all if fewer than two are selected. */
export function arrange(how: (lab: LabDocument, nodeIds: readonly string[]) => LabEdit | undefined): void {
  const { lab, selection } = useLabStore.getState();
  if (lab === undefined) return;
  const edit = how(lab, selection.nodes.length > 1 ? selection.nodes : lab.nodes.map((node) => node.id));
  if (edit !== undefined) editLab(edit);
}

/** Copies the selected parts and the links among them, and selects the copies. */
export function duplicateSelected(): void {
  const { lab, selection } = useLabStore.getState();
  const copies = lab === undefined ? undefined : duplicateParts(lab, selection.nodes, selection.annotations);
  if (copies === undefined) return;
  if (insertInLab(copies.edit)) select(copies.selection);
}

export function selectAll(): void {
  const { lab } = useLabStore.getState();
  if (lab !== undefined) {
    select({
      nodes: lab.nodes.map((node) => node.id),
      links: lab.links.map((link) => link.id),
      annotations: lab.annotations?.map((annotation) => annotation.id) ?? [],
    });
  }
}
