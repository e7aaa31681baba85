/**
 * The inspector's fields. A valid value goes into the document while the user types; invalid text stays in the field with its
 * message and changes nothing.
 */
import { Autocomplete, Select, Textarea, TextInput } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { dropDraft, putDraft, sealHistory, useDraft, useRunStart, useViewStore } from '../state/index.ts';
import { useComplaint } from './complaint.tsx';
import { checkNumber, checkText, type Checked, type FieldProblem } from './field-value.ts';
import classes from './fields.module.css';
import { useIsHint } from './issue-words.ts';

interface CommonProps {
  /** Identifies the field in undo steps and drafts: `node.n1.name`. */
  readonly fieldKey: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** The issue that the lab's check reports for this field. */
  readonly issue?: string | undefined;
  /** The path of the lab issue (`nodes[1].name`) that moves the focus here. */
  readonly path?: string | undefined;
}

interface TypedProps<T> extends CommonProps {
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const useProblemText = (): ((problem: FieldProblem) => string) => {
  const { t } = useTranslation();
  return (problem) => t(`inspector.problem.${problem.key}`, problem.params);
};

/** Focuses the field when its issue is chosen in the list. */
function useRequestedFocus({ path, fieldKey }: CommonProps) {
  const ref = useRef<HTMLDivElement>(null);
  const focusRequest = useViewStore((state) =>
    state.focus !== undefined && (state.focus.path === path || state.focus.path === fieldKey)
      ? state.focus
      : undefined,
  );
  useEffect(() => {
    if (focusRequest === undefined) return;
    const input = ref.current?.querySelector<HTMLElement>('input, textarea');
    input?.scrollIntoView({ block: 'center' });
    input?.focus();
    // Typing replaces the name or the value that is to be changed.
    if (input instanceof HTMLInputElement) input.select();
    useViewStore.setState({ focus: undefined });
  }, [focusRequest]);
  return ref;
}

/** A field of several selected parts has no value if they differ. */
interface SharedProps<T> extends CommonProps {
  readonly value: T | undefined;
  readonly onChange: (value: T) => void;
}

/** The text and the event handlers of a typed field. */
function useTyped<T>(
  props: SharedProps<T>,
  format: (value: T) => string,
  check: (text: string) => Checked<T>,
) {
  const { fieldKey, label, value, onChange } = props;
  const problemText = useProblemText();
  const draft = useDraft(fieldKey);
  const shown = value === undefined ? '' : format(value);
  // The value changed elsewhere (undo, another window): the draft is outdated.
  const stale = draft !== undefined && draft.problem === undefined && !equalTyped(check(draft.text), value);
  const previous = useRef(shown);
  useEffect(() => {
    if (stale || (previous.current !== shown && draft?.problem !== undefined)) dropDraft(fieldKey);
    previous.current = shown;
  }, [stale, shown, draft, fieldKey]);
  const text = draft === undefined || stale ? shown : draft.text;
  const isHint = useIsHint(props.path);
  const demanded = useRunStart((state) => state.demanded);
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
    giveUp: () => dropDraft(fieldKey),
  };
}

/**
 * How Mantine's fields show a complaint. A hint stands at the same place in the colour of hints, at a field that is valid: Mantine has
 * only its line of success for that.
 */
const complaintLook = (complaint: string | undefined, isHint: boolean) =>
  isHint
    ? { success: complaint, withSuccessStyles: false, successProps: { className: classes.hint } }
    : { error: complaint };

const equalTyped = <T,>(checked: Checked<T>, value: T | undefined): boolean =>
  checked.ok && checked.value === value;

export function NumberField(
  props: SharedProps<number> & { readonly schema: z.ZodType<number>; readonly unit?: string },
) {
  const { t } = useTranslation();
  const field = useTyped(props, String, (text) => checkNumber(props.schema, text));
  const ref = useRequestedFocus(props);
  return (
    <TextInput
      wrapperProps={{ ref }}
      label={props.label}
      description={props.description}
      inputMode="decimal"
      placeholder={props.value === undefined ? t('inspector.several.mixed') : undefined}
      autoComplete="off"
      spellCheck={false}
      value={field.text}
      {...field.shown}
      onChange={(event) => field.type(event.currentTarget.value)}
      onFocus={field.onFocus}
      onBlur={field.leave}
      onKeyDown={(event) => {
        if (event.key === 'Escape') field.giveUp();
      }}
      rightSection={props.unit === undefined ? undefined : <span className={classes.unit}>{props.unit}</span>}
      rightSectionWidth={props.unit === undefined ? undefined : props.unit.length * 7 + 14}
      rightSectionPointerEvents="none"
      classNames={{ input: classes.number ?? '' }}
    />
  );
}

const maxSuggestions = 100;

export function TextField(
  props: SharedProps<string> & {
    readonly schema: z.ZodType<string>;
    readonly placeholder?: string | undefined;
    readonly long?: boolean;
    /** Values that complete what is typed; any other may be typed too. */
    readonly suggestions?: readonly string[] | undefined;
  },
) {
  const { t } = useTranslation();
  const field = useTyped(
    props,
    (value) => value,
    (text) => checkText(props.schema, text),
  );
  const ref = useRequestedFocus(props);
  const common = {
    wrapperProps: { ref },
    label: props.label,
    description: props.description,
    placeholder: props.value === undefined ? t('inspector.several.mixed') : props.placeholder,
    value: field.text,
    ...field.shown,
    onFocus: field.onFocus,
    onBlur: field.leave,
  };
  if (props.suggestions !== undefined)
    return (
      <Autocomplete
        {...common}
        autoComplete="off"
        spellCheck={false}
        data={[...new Set(props.suggestions)]}
        limit={maxSuggestions}
        // Opened by a click or by typing: whoever passes with Tab does not want the next field covered.
        openOnFocus={false}
        comboboxProps={{ shadow: 'md' }}
        onChange={field.type}
      />
    );
  return props.long === true ? (
    <Textarea
      {...common}
      autosize
      minRows={3}
      maxRows={10}
      onChange={(event) => field.type(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      {...common}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => field.type(event.currentTarget.value)}
    />
  );
}

export function ChoiceField<V extends string>(
  props: TypedProps<V> & {
    readonly choices: readonly {
      readonly value: V;
      readonly label: string;
      /** Choices of one group are listed together below its name. */
      readonly group?: string;
      /** Shown beside the label in the list; say it elsewhere, too, for who cannot see it. */
      readonly detail?: string;
    }[];
    /** Typing filters a long list, in place of the name that is there. */
    readonly searchable?: boolean;
  },
) {
  const { t } = useTranslation();
  const ref = useRequestedFocus(props);
  const isHint = useIsHint(props.path);
  const known = props.choices.some((choice) => choice.value === props.value);
  return (
    <Select
      wrapperProps={{ ref }}
      label={props.label}
      description={props.description}
      {...complaintLook(props.issue, isHint)}
      value={props.value}
      data={inGroups([...props.choices, ...(known ? [] : [{ value: props.value, label: props.value }])])}
      searchable={props.searchable === true}
      // What is typed replaces the name, and is not appended to it.
      onFocus={(event) => {
        if (props.searchable === true) event.currentTarget.select();
      }}
      renderOption={({ option }) => {
        const detail = props.choices.find(({ value }) => value === option.value)?.detail;
        return detail === undefined ? (
          option.label
        ) : (
          <span className={classes.choice}>
            {option.label}
            <small aria-hidden>{detail}</small>
          </span>
        );
      }}
      nothingFoundMessage={t('inspector.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
      onChange={(value) => {
        const choice = props.choices.find((one) => one.value === value);
        if (choice !== undefined) props.onChange(choice.value);
      }}
    />
  );
}

interface Item {
  readonly value: string;
  readonly label: string;
}
interface Choice extends Item {
  readonly group?: string;
}

function inGroups(choices: readonly Choice[]): (Item | { group: string; items: Item[] })[] {
  const groups = Map.groupBy(choices, ({ group }) => group);
  return [...groups].flatMap<Item | { group: string; items: Item[] }>(([group, members]) => {
    // An item with a `group` of its own would be taken for a group.
    const items = members.map(({ value, label }) => ({ value, label }));
    return group === undefined ? items : [{ group, items }];
  });
}

/** A titled group of fields. */
export function FieldGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.group} aria-labelledby={id}>
      <h3 id={id} className={classes.groupTitle}>
        {title}
      </h3>
      {children}
    </section>
  );
}

/** Fields side by side. */
export const FieldRow = ({ children }: { children: ReactNode }) => (
  <div className={classes.row}>{children}</div>
);
