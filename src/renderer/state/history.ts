/** Undo and redo: a bounded list of inverse edits. Typing in one field is one undo step. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import { applyEdit, type Applied, type LabEdit } from './lab-edit.ts';

interface Step {
  readonly edit: LabEdit;
  /** Consecutive edits with the same key are one undo step. */
  readonly key: string | undefined;
}

export interface History {
  readonly undo: readonly Step[];
  readonly redo: readonly Step[];
}

export const emptyHistory: History = { undo: [], redo: [] };
const maxSteps = 500;

export interface Changed {
  readonly lab: LabDocument;
  readonly history: History;
}

/** Applies an edit. If `key` is that of the last undo step, the edit joins it (its first inverse is kept). */
export function commit(lab: LabDocument, history: History, edit: LabEdit, key?: string): Changed {
  const applied = applyEdit(lab, edit);
  if (applied.lab === lab) return { lab, history };
  const last = history.undo.at(-1);
  const joins = key !== undefined && last?.key === key && history.redo.length === 0;
  // What was typed and taken away again, or moved there and back, is no step: undo would seem to do nothing.
  const isBack = joins && applyEdit(applied.lab, last.edit).lab === applied.lab;
  return {
    lab: applied.lab,
    history: {
      undo: isBack
        ? history.undo.slice(0, -1)
        : joins
          ? history.undo
          : [...history.undo.slice(1 - maxSteps), { edit: applied.inverse, key }],
      redo: [],
    },
  };
}

/** Ends the current undo step when the field loses the focus. */
export function seal(history: History): History {
  const last = history.undo.at(-1);
  return last?.key === undefined
    ? history
    : { ...history, undo: [...history.undo.slice(0, -1), { edit: last.edit, key: undefined }] };
}

/** Applies the last step that changes something: those before it are of parts that another window has removed. */
function takeBack(lab: LabDocument, steps: readonly Step[]): { done: number; applied?: Applied } {
  for (const [at, step] of steps.toReversed().entries()) {
    const applied = applyEdit(lab, step.edit);
    if (applied.lab !== lab) return { done: at + 1, applied };
  }
  return { done: steps.length };
}

export function undo(lab: LabDocument, history: History): Changed {
  const { done, applied } = takeBack(lab, history.undo);
  return {
    lab: applied?.lab ?? lab,
    history: {
      undo: history.undo.slice(0, history.undo.length - done),
      redo: withStep(history.redo, applied?.inverse),
    },
  };
}

export function redo(lab: LabDocument, history: History): Changed {
  const { done, applied } = takeBack(lab, history.redo);
  return {
    lab: applied?.lab ?? lab,
    history: {
      undo: withStep(history.undo, applied?.inverse),
      redo: history.redo.slice(0, history.redo.length - done),
    },
  };
}

const withStep = (steps: readonly Step[], edit: LabEdit | undefined): readonly Step[] =>
  edit === undefined ? steps : [...steps, { edit, key: undefined }];
