/**
 * What a field shows while it is typed in: the draft of its text as long as nothing else has changed its value, and when it complains.
 */
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { isTyped } from '../../shared/base/typed-letter.ts';
import { dropDraft, putDraft, sealHistory, useDraft, useRunStart, type Draft } from '../state/index.ts';
import { useComplaint } from './complaint.tsx';
import type { Checked, FieldProblem } from './field-value.ts';
import classes from './fields.module.css';
import { useIsHint } from './issue-words.ts';

export interface CommonProps {
  /** Identifies the field in undo steps and drafts: `node.n1.name`. */
  readonly fieldKey: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** The issue that the lab's check reports for this field. */
  readonly issue?: string | undefined;
  /** The path of the lab issue (`nodes[1].name`) that moves the focus here. */
  readonly path?: string | undefined;
  /** The user has asked for the value: text that is not valid complains at once. */
  readonly demanded?: boolean;
}

/** A field of several selected parts has no value if they differ. */
export interface SharedProps<T> extends CommonProps {
  readonly value: T | undefined;
  readonly onChange: (value: T) => void;
}

const useProblemText = (): ((problem: FieldProblem) => string) => {
  const { t } = useTranslation();
  return (problem) => t(`inspector.problem.${problem.key}`, problem.params);
};

/**
 * What the document has held since a draft was typed, as the field shows it. A field may keep something else than the text: a list of
 * words, a path without the space at its end. The text stays for that while it is typed.
 */
const takenAs = new WeakMap<Draft, string>();

/** The text and the event handlers of a typed field. */
export function useTyped<T>(
  props: SharedProps<T>,
  format: (value: T) => string,
  check: (text: string) => Checked<T>,
) {
  const { fieldKey, label, value, onChange } = props;
  const problemText = useProblemText();
  const draft = useDraft(fieldKey);
  const shown = value === undefined ? '' : format(value);
  // The value changed elsewhere (undo, another window): the draft is outdated.
  const stale =
    draft !== undefined &&
    draft.problem === undefined &&
    (takenAs.get(draft) ?? shown) !== shown &&
    !equalTyped(check(draft.text), value);
  const previous = useRef(shown);
  useEffect(() => {
    if (draft !== undefined && !takenAs.has(draft)) takenAs.set(draft, shown);
    if (stale || (previous.current !== shown && draft?.problem !== undefined)) dropDraft(fieldKey);
    previous.current = shown;
  }, [stale, shown, draft, fieldKey]);
  const text = draft === undefined || stale ? shown : draft.text;
  const isHint = useIsHint(props.path);
  const demanded = useRunStart((state) => state.demanded) || props.demanded === true;
  const complaint = useComplaint(fieldKey, draft?.problem ?? props.issue, text, demanded);
  return {
    text,
    onFocus: complaint.onFocus,
    shown: complaintLook(complaint.error, draft?.problem === undefined && isHint),
    type(text: string) {
      const checked = check(text);
      if (checked.ok) {
        putDraft(fieldKey, { text, label });
        onChange(checked.value);
      } else putDraft(fieldKey, { text, label, problem: problemText(checked.problem) });
    },
    leave() {
      complaint.onBlur();
      if (draft?.problem === undefined) dropDraft(fieldKey);
      sealHistory();
    },
    /** Undo takes back text that is not valid: the lab has no step for it, and another edit, out of sight, would be undone. */
    onKeyDown(event: KeyboardEvent) {
      const isUndo =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && isTyped('z', event);
      if (!isUndo || draft?.problem === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      dropDraft(fieldKey);
    },
    giveUp: () => dropDraft(fieldKey),
  };
}

/**
 * How Mantine's fields show a complaint. A hint stands at the same place in the colour of hints, at a field that is valid: Mantine has
 * only its line of success for that.
 */
export const complaintLook = (complaint: string | undefined, isHint: boolean) =>
  isHint
    ? { success: complaint, withSuccessStyles: false, successProps: { className: classes.hint } }
    : { error: complaint };

const equalTyped = <T>(checked: Checked<T>, value: T | undefined): boolean =>
  checked.ok && checked.value === value;
