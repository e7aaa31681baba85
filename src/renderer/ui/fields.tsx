/**
 * The inspector's fields. A valid value goes into the document while the user types; invalid text stays in the field with its
 * message and changes nothing.
 */
import { Autocomplete, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import { asOneStep, useViewStore } from '../state/index.ts';
import { isFieldOf } from './field-path.ts';
import { checkNumber, checkText } from './field-value.ts';
import classes from './fields.module.css';
import { useIsHint } from './issue-words.ts';
import { complaintLook, useTyped, type CommonProps, type SharedProps } from './use-typed.ts';

interface TypedProps<T> extends CommonProps {
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Focuses the field when its issue is chosen in the list. Returns the properties of the element around it. */
export function useRequestedFocus({ path, fieldKey }: Pick<CommonProps, 'path' | 'fieldKey'>) {
  const ref = useRef<HTMLDivElement>(null);
  const focusRequest = useViewStore((state) =>
    state.focus !== undefined && isFieldOf(state.focus.path, [path, fieldKey]) ? state.focus : undefined,
  );
  useEffect(() => {
    if (focusRequest === undefined) return;
    const input =
      ref.current?.querySelector<HTMLElement>('input:checked') ??
      ref.current?.querySelector<HTMLElement>('input, textarea');
    input?.scrollIntoView({ block: 'center' });
    input?.focus();
    // Typing replaces the name or the value that is to be changed.
    if (input instanceof HTMLInputElement) input.select();
    useViewStore.setState({ focus: undefined });
  }, [focusRequest]);
  return { ref, 'data-field': fieldKey, 'data-path': path };
}

export function NumberField(
  props: SharedProps<number> & { readonly schema: z.ZodType<number>; readonly unit?: string },
) {
  const { t } = useTranslation();
  const field = useTyped(props, String, (text) => checkNumber(props.schema, text, props.unit));
  const wrapperProps = useRequestedFocus(props);
  return (
    <TextInput
      wrapperProps={wrapperProps}
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
        field.onKeyDown(event);
        // An input method takes one with which it ends.
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) field.giveUp();
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
  const wrapperProps = useRequestedFocus(props);
  const common = {
    wrapperProps,
    label: props.label,
    description: props.description,
    placeholder: props.value === undefined ? t('inspector.several.mixed') : props.placeholder,
    value: field.text,
    ...field.shown,
    onFocus: field.onFocus,
    onBlur: field.leave,
    onKeyDown: field.onKeyDown,
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
  const wrapperProps = useRequestedFocus(props);
  const isHint = useIsHint(props.path);
  const known = props.choices.some((choice) => choice.value === props.value);
  return (
    <Select
      wrapperProps={wrapperProps}
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
        if (choice !== undefined) asOneStep(() => props.onChange(choice.value));
      }}
    />
  );
}

/** Something that is on or off. */
export function SwitchField(props: TypedProps<boolean>) {
  const wrapperProps = useRequestedFocus(props);
  const isHint = useIsHint(props.path);
  return (
    <Switch
      wrapperProps={wrapperProps}
      size="xs"
      label={props.label}
      description={props.description}
      // Mantine's switch has no place for hints; the list of problems has them.
      error={isHint ? undefined : props.issue}
      checked={props.value}
      onChange={({ currentTarget }) => asOneStep(() => props.onChange(currentTarget.checked))}
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
