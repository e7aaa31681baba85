/** Typing into all open terminals at once: whether it is on, and which terminals are excluded. */
import { create } from 'zustand';

interface Together {
  readonly on: boolean;
  /** Excluded tabs. */
  readonly aside: ReadonlySet<string>;
}
const off: Together = { on: false, aside: new Set() };
export const useTogether = create<Together>(() => off);

/** Switching it on includes all again: users do not remember which were excluded the last time. */
export const typeTogether = (on: boolean): void => useTogether.setState({ ...off, on });

export function standAside(id: string, isAside: boolean): void {
  useTogether.setState(({ aside }) => {
    const next = new Set(aside);
    if (isAside) next.add(id);
    else next.delete(id);
    return { aside: next };
  });
}

/** The tabs that receive the input of one tab, that tab first. */
export function typedInto<Tab extends { readonly id: string }>(
  tab: Tab,
  all: readonly Tab[],
  { on, aside }: Together,
): Tab[] {
  if (!on || aside.has(tab.id)) return [tab];
  return [tab, ...all.filter((other) => other.id !== tab.id && !aside.has(other.id))];
}

/**
 * Whether the text is an automatic reply of a terminal to a program's request: cursor position, capabilities, focus, mouse.
 * The other terminals' programs sent no such request.
 */
export const isAnswer = (text: string): boolean =>
  /^\x1b(?:\[[?>=]?[\d;]*[cRnt]$|\[\?[\d;]*(?:\$y|u)$|\[[IO]$|\[<|\[M|[P\]_].)/s.test(text);

const bracket = { start: '\x1b[200~', end: '\x1b[201~' };

/** The input for another terminal: paste marks are added only if its program has enabled bracketed paste. */
export const withoutBrackets = (text: string): string =>
  text.startsWith(bracket.start) && text.endsWith(bracket.end)
    ? text.slice(bracket.start.length, -bracket.end.length)
    : text;
