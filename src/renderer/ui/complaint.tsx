/**
 * When a field complains: once the user has left it, not while the first value is typed, and not for a field that nobody has filled
 * in yet. A complaint that is shown stays, and follows what is typed, until it is corrected.
 */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useRef, useState } from 'react';

interface Complaint {
  readonly error: string | undefined;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** What waits for the pointer's release; undefined while it is not pressed. */
let waiting: (() => void)[] | undefined;
let areWatched = false;

/** A field has the focus before it loses it by a press elsewhere. */
function watchPresses(): void {
  if (areWatched) return;
  areWatched = true;
  window.addEventListener('pointerdown', () => (waiting ??= []), { capture: true });
  const released = (): void => {
    const due = waiting ?? [];
    waiting = undefined;
    // After the click, which follows.
    setTimeout(() => due.forEach((run) => run()));
  };
  for (const name of ['pointerup', 'pointercancel'])
    window.addEventListener(name, released, { capture: true });
}

/**
 * Runs once the pointer is released, and at once where it is not pressed: a complaint that appeared under it would move the button
 * that the user clicks, which then gets no click.
 */
function afterPress(run: () => void): void {
  if (waiting === undefined) run();
  else waiting.push(run);
}

/**
 * @param field identifies the field: a panel that shows another part shows other fields in the same places
 * @param demanded whether the user has asked for what is missing, as 'Run' does
 */
export function useComplaint(
  field: string,
  problem: string | undefined,
  text: string,
  demanded = false,
): Complaint {
  const [focused, setFocused] = useState(false);
  const [left, setLeft] = useState<string>();
  const shownAtFocus = useRef(false);
  const due = focused ? shownAtFocus.current : text !== '' || left === field;
  const error = demanded || due ? problem : undefined;
  return {
    error,
    onFocus() {
      watchPresses();
      shownAtFocus.current = error !== undefined;
      setFocused(true);
    },
    onBlur() {
      afterPress(() => {
        setFocused(false);
        setLeft(field);
      });
    },
  };
}

/** A text field of a dialog, with its problem. */
export function CheckedInput({
  problem,
  value,
  ...rest
}: Omit<TextInputProps, 'error' | 'onFocus' | 'onBlur'> & { value: string; problem: string | undefined }) {
  const complaint = useComplaint('', problem, value);
  return <TextInput {...rest} {...complaint} value={value} />;
}
