/** One terminal's screen: xterm.js in an element of its own, which is kept when its tab is hidden. */
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal, type ITheme } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { TerminalSize } from '../../shared/node/terminal.ts';

export interface ScreenEvents {
  /** Input: typed, pasted, or an automatic reply of the terminal. */
  onInput(text: string): void;
  onSize(size: TerminalSize): void;
  /** Called with the number of characters written with `write` that are drawn. */
  onShown(characters: number): void;
  /** F6: moves the keyboard focus out of the terminal. */
  onLeave(): void;
  /** Ctrl+Shift+F. */
  onSearch(): void;
}

export interface Screen {
  /** The element to insert where the terminal is shown. */
  readonly element: HTMLElement;
  readonly size: () => TerminalSize;
  write(text: string): void;
  /** Writes a line of the app's own, between the node's output. */
  note(text: string): void;
  clear(): void;
  focus(): void;
  /** Fits the screen to its element. */
  fit(): void;
  find(text: string, direction: 'next' | 'previous'): boolean;
  /** Whether the program has enabled bracketed paste. */
  marksPastes(): boolean;
  retheme(): void;
  dispose(): void;
}

const scrollback = 5000;
/** Makes screen readers read the output line by line; the cost is low at a user's typing speed. */
const screenReaderMode = true;

const token = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function theme(): ITheme {
  return {
    background: token('--rl-sunken'),
    foreground: token('--rl-text'),
    cursor: token('--rl-accent'),
    cursorAccent: token('--rl-sunken'),
    selectionBackground: token('--rl-accent-soft'),
  };
}

export function createScreen(events: ScreenEvents): Screen {
  const element = document.createElement('div');
  element.style.height = '100%';
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily: token('--rl-mono'),
    fontSize: 13,
    minimumContrastRatio: 4.5,
    screenReaderMode,
    scrollback,
    theme: theme(),
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.loadAddon(
    new WebLinksAddon((_event, address) => {
      window.open(address, '_blank', 'noopener');
    }),
  );
  const copy = (): void => {
    // xterm handles the browser's own event. The newer API needs a permission that the desktop window does not have.
    // oxlint-disable-next-line typescript/no-deprecated
    document.execCommand('copy');
  };
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    const withShift = event.ctrlKey && event.shiftKey;
    if (event.key === 'F6') events.onLeave();
    else if (withShift && event.code === 'KeyC') copy();
    else if (withShift && event.code === 'KeyF') events.onSearch();
    // The browser's own paste event, which xterm handles.
    else if (withShift && event.code === 'KeyV') return false;
    else return true;
    event.preventDefault();
    return false;
  });
  terminal.onData(events.onInput);
  terminal.onBinary(events.onInput);
  terminal.onResize(({ cols, rows }) => events.onSize({ columns: cols, rows }));
  let isOpen = false;
  return {
    element,
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    write: (text) => terminal.write(text, () => events.onShown(text.length)),
    note: (text) => terminal.write(`\r\n\x1b[0;2m── ${text} ──\x1b[0m\r\n`),
    clear: () => terminal.reset(),
    focus: () => terminal.focus(),
    fit() {
      if (!element.isConnected) return;
      if (!isOpen) terminal.open(element);
      isOpen = true;
      fit.fit();
    },
    find: (text, direction) =>
      direction === 'next' ? search.findNext(text, { incremental: true }) : search.findPrevious(text),
    marksPastes: () => terminal.modes.bracketedPasteMode,
    retheme() {
      terminal.options.theme = theme();
    },
    dispose: () => terminal.dispose(),
  };
}
