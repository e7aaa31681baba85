/** The open lab: its document, the selection, undo and redo, and whether it is saved. */
import { create } from 'zustand';
import { maxAnnotations, type Annotation } from '../../shared/lab/annotation.ts';
import type { OpenLab } from '../../shared/contract/api.ts';
import { RinglabError, type WireError } from '../../shared/base/errors.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import type { LabIssue } from '../../shared/lab/lab-issue.ts';
import { maxLinks, maxNodes, type LabDocument } from '../../shared/lab/lab.ts';
import type { LabEdit } from './lab-edit.ts';
import { takeUnsaved } from './unsaved.ts';
import { commit, emptyHistory, redo, seal, undo, type Changed, type History } from './history.ts';
import { report } from './window.ts';

export interface Selection {
  readonly nodes: readonly string[];
  readonly links: readonly string[];
  readonly annotations?: readonly string[];
}
export const emptySelection: Selection = { nodes: [], links: [] };
export const selectedCount = ({ nodes, links, annotations = [] }: Selection): number =>
  nodes.length + links.length + annotations.length;

type SaveState =
  | { readonly state: 'saved' }
  | { readonly state: 'unsaved' }
  | { readonly state: 'saving' }
  | { readonly state: 'failed'; readonly error: WireError }
  /** Saving never succeeds again, as what is stored is not what this window began with: the user decides. */
  | { readonly state: 'conflict'; readonly stored: Stored };
/** Another window's version, none, or a file that is no lab for this program: it is never overwritten. */
export type Stored = 'newer' | 'gone' | 'unreadable';

export interface LabSlice {
  readonly lab: LabDocument | undefined;
  readonly path: string;
  /** The revision of main's newest version. */
  readonly revision: number;
  /** The document as main stores it; unsaved while `lab` is another object. */
  readonly savedLab: LabDocument | undefined;
  readonly save: SaveState;
  /** What the check of the lab finds, and then what this computer lacks. */
  readonly issues: readonly LabIssue[];
  /** What main has found missing on this computer, at its last look. */
  readonly here: readonly LabIssue[];
  readonly selection: Selection;
  readonly history: History;
}

const closed: LabSlice = {
  lab: undefined,
  path: '',
  revision: 0,
  savedLab: undefined,
  save: { state: 'saved' },
  issues: [],
  here: [],
  selection: emptySelection,
  history: emptyHistory,
};

export const useLabStore = create<LabSlice>(() => closed);

/**
 * Shows a lab, as main stores it; history and selection are reset, unless `kept` says what stays.
 * @param lost the `lostCopies` where the user opens it: edits of this version that were lost in a crash are restored, and then saved
 * @param kept what stays where it is a newer version of the open lab: what is selected, and the edits that can be undone
 */
export function showLab(
  open: OpenLab,
  lost: readonly string[] = [],
  kept: Pick<LabSlice, 'selection' | 'history'> = closed,
): void {
  const lab = takeUnsaved(open.lab.id, open.revision, lost) ?? open.lab;
  useLabStore.setState({
    ...closed,
    lab,
    savedLab: open.lab,
    save: lab === open.lab ? { state: 'saved' } : { state: 'unsaved' },
    path: open.path,
    revision: open.revision,
    issues: checkLab(lab),
    selection: partsOf(lab, kept.selection),
    // Typing that goes on is of another version: undone, it must not bring back this one's text.
    history: seal(kept.history),
  });
}

/** Those of the selected parts that the lab has; the same object where it has all. */
function partsOf(lab: LabDocument, selection: Selection): Selection {
  const there = (parts: readonly { readonly id: string }[] = []) => {
    const ids = new Set(parts.map(({ id }) => id));
    return (id: string): boolean => ids.has(id);
  };
  const found: Selection = {
    nodes: selection.nodes.filter(there(lab.nodes)),
    links: selection.links.filter(there(lab.links)),
    annotations: selection.annotations?.filter(there(lab.annotations)) ?? [],
  };
  return selectedCount(found) === selectedCount(selection) ? selection : found;
}

/** What this computer lacks for this version of the lab. */
export const putHere = (lab: LabDocument, here: readonly LabIssue[]): void =>
  useLabStore.setState((now) =>
    now.lab?.id !== lab.id || (here.length === 0 && now.here.length === 0)
      ? {}
      : { here, issues: [...checkLab(now.lab), ...here] },
  );

export const closeLab = (): void => useLabStore.setState(closed);

/**
 * Applies an edit to the open lab, with undo.
 * @param key merges consecutive edits of one field into one undo step
 */
export function editLab(edit: LabEdit, key?: string): void {
  const { lab, history } = useLabStore.getState();
  if (lab !== undefined) show(commit(lab, history, edit, key));
}

/** The same for new parts. False, with a message, where they are too many: such a lab could never be saved. */
export function insertInLab(edit: LabEdit, key?: string): boolean {
  const { lab, history } = useLabStore.getState();
  if (lab === undefined) return false;
  return showUnlessFull(commit(lab, history, edit, key));
}

function showUnlessFull(next: Changed): boolean {
  const { nodes, links, annotations = [] } = next.lab;
  if (nodes.length > maxNodes || links.length > maxLinks || annotations.length > maxAnnotations) {
    report(new RinglabError('lab_full', { nodes: maxNodes, links: maxLinks, notes: maxAnnotations }));
    return false;
  }
  show(next);
  return true;
}

export function undoEdit(): void {
  const { lab, history } = useLabStore.getState();
  // What was deleted comes back only where another window has left room for it.
  if (lab !== undefined) showUnlessFull(undo(lab, history));
}

export function redoEdit(): void {
  const { lab, history } = useLabStore.getState();
  if (lab !== undefined) showUnlessFull(redo(lab, history));
}

/** The field lost the focus: the next edit is an undo step of its own. */
export const sealHistory = (): void => useLabStore.setState((now) => ({ history: seal(now.history) }));

/** Edits of one choice, for a choice, a switch or a button: an undo step of their own, though a field's key merges its edits. */
export function asOneStep(choose: () => void): void {
  sealHistory();
  choose();
  sealHistory();
}

function show(next: Changed): void {
  useLabStore.setState((now) => {
    if (next.lab === now.lab) return { history: next.history };
    return {
      lab: next.lab,
      history: next.history,
      issues: [...checkLab(next.lab), ...now.here],
      selection: partsOf(next.lab, now.selection),
      save: now.save.state === 'saved' ? { state: 'unsaved' } : now.save,
    };
  });
}

export function select(selection: Selection): void {
  const now = useLabStore.getState().selection;
  const equal = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
    a.length === b.length && a.every((id, index) => id === b[index]);
  if (
    !equal(now.nodes, selection.nodes) ||
    !equal(now.links, selection.links) ||
    !equal(now.annotations, selection.annotations)
  ) {
    useLabStore.setState({ selection });
  }
}

export const useLab = (): LabDocument | undefined => useLabStore((state) => state.lab);
export const useLabId = (): string | undefined => useLabStore((state) => state.lab?.id);
export const useNode = (nodeId: string): LabDocument['nodes'][number] | undefined =>
  useLabStore((state) => state.lab?.nodes.find((node) => node.id === nodeId));
export const useLink = (linkId: string): LabDocument['links'][number] | undefined =>
  useLabStore((state) => state.lab?.links.find((link) => link.id === linkId));
export const useAnnotation = (id: string): Annotation | undefined =>
  useLabStore((state) => state.lab?.annotations?.find((annotation) => annotation.id === id));
export const useIssues = (): readonly LabIssue[] => useLabStore((state) => state.issues);
