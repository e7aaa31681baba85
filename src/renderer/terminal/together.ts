/** Typing into all open terminals at once: whether it is on, and which of them stand aside. */
import { create } from 'zustand';

interface Together {
  readonly on: boolean;
  /** Tabs that are left out. */
  readonly aside: ReadonlySet<string>;
}
const off: Together = { on: false, aside: new Set() };
export const useTogether = create<Together>(() => off);

/** Turned on anew it means all again: who stood aside the last time is not remembered by the user either. */
export const typeTogether = (on: boolean): void => useTogether.setState({ ...off, on });

export function standAside(id: string, isAside: boolean): void {
  useTogether.setState(({ aside }) => {
    const next = new Set(aside);
    if (isAside) next.add(id);
    else next.delete(id);
    return { aside: next };
  });
}

/** The tabs that what is typed in one goes into, that one first. */
export function typedInto<Tab extends { readonly id: string }>(
  tab: Tab,
  all: readonly Tab[],
  { on, aside }: Together,
): Tab[] {
  if (!on || aside.has(tab.id)) return [tab];
  return [tab, ...all.filter((other) => other.id !== tab.id && !aside.has(other.id))];
}

/**
 * Whether a terminal says this by itself, answering what a program asked: where the cursor is, what it can do, that it has
 * the focus, where the mouse is. No other program asked.
 */
export const isAnswer = (text: string): boolean =>
  /^\x1b(?:\[[?>=]?[\d;]*[cRnt]$|\[\?[\d;]*(?:\$y|u)$|\[[IO]$|\[<|\[M|[P\]_].)/s.test(text);

const bracket = { start: '\x1b[200~', end: '\x1b[201~' };

/** What another terminal is given: a pasted text is marked as such only where its program knows the marks. */
export const withoutBrackets = (text: string): string =>
  text.startsWith(bracket.start) && text.endsWith(bracket.end)
    ? text.slice(bracket.start.length, -bracket.end.length)
    : text;
