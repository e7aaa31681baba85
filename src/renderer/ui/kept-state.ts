/** State of a panel that outlives it: a user who looks at a log and comes back to the charts finds them as they were. */
import { useCallback } from 'react';
import { create } from 'zustand';

/** The newest keys are kept, while the window is open. */
const maxKeys = 100;

/**
 * A hook like `useState` that keeps its value by a key: what it returns is of all components with this key.
 * `first` is the value of a key without one, the same object at each call.
 */
export function keptState<T>(): (
  key: string,
  first: T,
) => readonly [value: T, change: (next: (now: T) => T) => void] {
  const useValues = create<{ readonly values: ReadonlyMap<string, T> }>(() => ({ values: new Map() }));
  return (key, first) => {
    const value = useValues(({ values }) => values.get(key) ?? first);
    const change = useCallback(
      (next: (now: T) => T) =>
        useValues.setState(({ values }) => {
          const others = [...values].filter(([other]) => other !== key);
          const changed = [key, next(values.get(key) ?? first)] as const;
          return { values: new Map([...others, changed].slice(-maxKeys)) };
        }),
      [key, first],
    );
    return [value, change];
  };
}
