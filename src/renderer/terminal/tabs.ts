/** The window's terminals: a tab for each with its shell on the node; reconnects after a lost connection. */
import { create } from 'zustand';
import i18next from 'i18next';
import { errorLines } from '../../shared/i18n/error-texts.ts';
import { mayBeBack } from '../../shared/base/away.ts';
import { toWireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { TerminalSize, TerminalState } from '../../shared/node/terminal.ts';
import { loadPart, type LabClient } from '../api/index.ts';
import { onTerminal, resolveLanguage, saveNow, useLabStore, useSettingsStore } from '../state/index.ts';
import { drawn, give, read, type Life } from './output.ts';
import type { Screen } from './screen.ts';
import { isAnswer, typedInto, typeTogether, useTogether, withoutBrackets } from './together.ts';

type TabState = 'opening' | 'open' | 'lost' | 'ended';
export interface Tab {
  readonly id: string;
  readonly labId: string;
  readonly labName: string;
  readonly nodeId: string;
  /** The node's name. */
  readonly node: string;
  readonly state: TabState;
}
interface Tabs {
  readonly tabs: readonly Tab[];
  readonly current: string | undefined;
  /** Whether the dock shows the terminals. */
  readonly shown: boolean;
}
export const useTabs = create<Tabs>(() => ({ tabs: [], current: undefined, shown: false }));

/** Milliseconds before each reconnection attempt; the last value repeats. */
const retries = [1000, 2000, 4000, 8000, 15_000, 30_000];

const lives = new Map<string, Life>();
let nextTab = 1;

const change = (id: string, state: TabState): void =>
  useTabs.setState((now) => ({ tabs: now.tabs.map((tab) => (tab.id === id ? { ...tab, state } : tab)) }));
const tabOf = (id: string): Tab | undefined => useTabs.getState().tabs.find((tab) => tab.id === id);
export const screenOf = (id: string): Screen | undefined => lives.get(id)?.screen;
export const showTab = (id: string): void => useTabs.setState({ current: id, shown: true });
export const showTerminals = (shown: boolean): void => useTabs.setState({ shown });

async function newLife(api: LabClient, id: string): Promise<Life> {
  // xterm.js is loaded with the first terminal, not with the window.
  const { createScreen } = await loadPart(() => import('./screen.ts'));
  const life: Life = {
    screen: createScreen({
      onInput(text) {
        // A second answer would be taken for typed text: nobody waits for it.
        if (isAnswer(text) && life.drawn < life.replayedTo) return;
        const state = tabOf(id)?.state;
        if (state === 'open') type(api, id, text);
        else if (text === '\r' && (state === 'ended' || state === 'lost')) connect(api, id);
      },
      onSize() {
        if (tabOf(id)?.state === 'open') resizeUnless(api, life);
      },
      onShown: (characters) => drawn(api, life, characters),
      onLeave: () => document.querySelector<HTMLElement>(`[data-terminal-tab="${id}"]`)?.focus(),
      onSearch: () => useSearch.setState({ open: true }),
    }),
    terminalId: undefined,
    received: 0,
    drawn: 0,
    reported: 0,
    tries: 0,
    timer: undefined,
    isReading: false,
    replayedTo: 0,
  };
  lives.set(id, life);
  return life;
}

/** Gives the shell the screen's size, unless it has it. */
function resizeUnless(api: LabClient, { terminalId, screen }: Life, known?: TerminalSize): void {
  const size = screen.size();
  if (terminalId === undefined || (size.columns === known?.columns && size.rows === known.rows)) return;
  api.call('terminal.resize', { terminalId, size }).catch(() => undefined);
}

/** Sends typed input to the terminal's shell, and to those of all others that receive the same input. */
function type(api: LabClient, id: string, text: string): void {
  const { tabs } = useTabs.getState();
  const tab = tabOf(id);
  if (tab === undefined) return;
  const all = isAnswer(text) ? [tab] : typedInto(tab, tabs, useTogether.getState());
  for (const one of all) {
    const life = lives.get(one.id);
    if (one.state !== 'open' || life?.terminalId === undefined) continue;
    const input = one === tab || life.screen.marksPastes() ? text : withoutBrackets(text);
    api.call('terminal.input', { terminalId: life.terminalId, text: input }).catch(() => undefined);
  }
}

/** Whether the search field is shown. */
export const useSearch = create<{ readonly open: boolean }>(() => ({ open: false }));

/** Opens a terminal on a node of the open lab, in a tab of its own. */
export function openTerminal(api: LabClient, nodeId: string): void {
  const { lab } = useLabStore.getState();
  const node = lab?.nodes.find((one) => one.id === nodeId);
  if (lab === undefined || node === undefined || node.kind === 'switch') return;
  addTab(api, { labId: lab.id, labName: lab.name, nodeId, node: node.name });
}

/** Opens another terminal on a tab's node, whichever lab is open. */
export function openAnother(api: LabClient, tabId: string): void {
  const tab = tabOf(tabId);
  if (tab !== undefined) addTab(api, tab);
}

/** Adds a tab and opens its terminal, or shows one that is open. */
function addTab(api: LabClient, of: Omit<Tab, 'id' | 'state'>, terminalId?: string): void {
  const id = `terminal-${nextTab}`;
  nextTab += 1;
  const tab: Tab = { ...of, id, state: 'opening' };
  useTabs.setState((now) =>
    terminalId === undefined
      ? { tabs: [...now.tabs, tab], current: id, shown: true }
      : { tabs: [...now.tabs, tab], current: now.current ?? id },
  );
  void newLife(api, id).then((life) => {
    // The tab is drawn before it is connected, so that its size is known.
    useTabs.setState((now) => ({ tabs: [...now.tabs] }));
    if (terminalId !== undefined) {
      serve(api, id, life, terminalId, Infinity);
      return;
    }
    requestAnimationFrame(() => {
      life.screen.fit();
      life.screen.focus();
      connect(api, id);
    });
  });
}

function serve(api: LabClient, id: string, life: Life, terminalId: string, replayedTo = 0): void {
  Object.assign(life, { terminalId, received: 0, drawn: 0, reported: 0, tries: 0, replayedTo });
  change(id, 'open');
  read(api, life);
}

/** Shows a lab's terminals that are open in no tab of this page: it was reloaded, or another one opened them. */
async function showOpen(api: LabClient, lab: LabDocument): Promise<void> {
  for (const { terminalId, nodeId, ended } of await api.call('terminal.list', { labId: lab.id })) {
    if (ended !== undefined) continue;
    const node = lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
    addTab(api, { labId: lab.id, labName: lab.name, nodeId, node }, terminalId);
  }
}

export function connect(api: LabClient, id: string): void {
  const [tab, life] = [tabOf(id), lives.get(id)];
  if (tab === undefined || life === undefined) return;
  clearTimeout(life.timer);
  change(id, 'opening');
  if (life.terminalId !== undefined) {
    api.call('terminal.close', { terminalId: life.terminalId }).catch(() => undefined);
    life.terminalId = undefined;
  }
  const work = async (): Promise<void> => {
    if (useLabStore.getState().lab?.id === tab.labId) await saveNow(api);
    const size = life.screen.size();
    const opened = await api.call('terminal.open', { labId: tab.labId, nodeId: tab.nodeId, size });
    if (lives.get(id) !== life) {
      // Closed in the meantime.
      await api.call('terminal.close', { terminalId: opened.terminalId });
      return;
    }
    serve(api, id, life, opened.terminalId);
    resizeUnless(api, life, size);
  };
  work().catch((error: unknown) => lose(api, id, toWireError(error)));
}

/**
 * Shows the reason, and reconnects automatically where the machine was away. Where it or the user refused, the next try is the
 * user's: it would ask the same question again, or be a further failed login.
 */
function lose(api: LabClient, id: string, error: ReturnType<typeof toWireError>): void {
  const life = lives.get(id);
  if (life === undefined) return;
  const language = resolveLanguage(useSettingsStore.getState().language);
  // Not a fault: the attempt ended because the node's address was changed.
  if (error.code !== 'cancelled') for (const line of errorLines(error, language)) life.screen.note(line);
  if (!mayBeBack(error)) {
    change(id, 'ended');
    life.screen.note(i18next.t('terminal.tryAgain'));
    return;
  }
  const wait = retries[Math.min(life.tries, retries.length - 1)] ?? 30_000;
  life.tries += 1;
  change(id, 'lost');
  life.screen.note(i18next.t('terminal.retryIn', { seconds: Math.round(wait / 1000) }));
  life.timer = setTimeout(() => connect(api, id), wait);
}

/** Labs that were open in this page: what was opened since is in tabs. */
const looked = new Set<string>();

/** Passes main's events to the screens. Returns a function that stops it. */
export function followTerminals(api: LabClient): () => void {
  const lifeOf = (terminalId: string): [string, Life] | undefined =>
    [...lives].find(([, life]) => life.terminalId === terminalId);
  const look = (): void => {
    const { lab } = useLabStore.getState();
    if (lab === undefined || looked.has(lab.id)) return;
    looked.add(lab.id);
    showOpen(api, lab).catch(() => looked.delete(lab.id));
  };
  look();
  const stopLooking = useLabStore.subscribe(look);
  const stopEvents = onTerminal({
    onData({ terminalId, offset, text }) {
      const [, life] = lifeOf(terminalId) ?? [];
      if (life === undefined) return;
      // A gap, or output that was left out: main has it.
      if (text === '' || offset > life.received) read(api, life);
      else give(life, text, offset, offset + text.length);
    },
    onEnded: (state) => finish(api, lifeOf(state.terminalId), state),
    onMissed() {
      for (const life of lives.values()) read(api, life);
      for (const tab of useTabs.getState().tabs) if (tab.state === 'lost') connect(api, tab.id);
      void checkAll(api);
    },
  });
  return () => {
    stopLooking();
    stopEvents();
  };
}

function finish(api: LabClient, found: [string, Life] | undefined, { ended }: TerminalState): void {
  if (found === undefined || ended === undefined) return;
  const [id, life] = found;
  if (ended.error !== undefined) {
    lose(api, id, ended.error);
    return;
  }
  change(id, 'ended');
  const { code } = ended;
  life.screen.note(
    code === undefined ? i18next.t('terminal.closedElsewhere') : i18next.t('terminal.ended', { code }),
  );
}

/** After the connection was lost: shells that main no longer has are opened again. */
async function checkAll(api: LabClient): Promise<void> {
  for (const tab of useTabs.getState().tabs) {
    const life = lives.get(tab.id);
    if (life?.terminalId === undefined || tab.state !== 'open') continue;
    const known = await api.call('terminal.list', { labId: tab.labId }).catch(() => undefined);
    const state = known?.find((one) => one.terminalId === life.terminalId);
    if (known !== undefined && state === undefined) connect(api, tab.id);
    else if (state?.ended !== undefined) finish(api, [tab.id, life], state);
  }
}

export function closeTab(api: LabClient, id: string): void {
  const life = lives.get(id);
  lives.delete(id);
  clearTimeout(life?.timer);
  if (life?.terminalId !== undefined) {
    api.call('terminal.close', { terminalId: life.terminalId }).catch(() => undefined);
  }
  life?.screen.dispose();
  // With one terminal left, typing into all is switched off, so that it does not apply to the next one that is opened.
  if (useTabs.getState().tabs.length <= 2) typeTogether(false);
  useTabs.setState((now) => {
    const at = now.tabs.findIndex((tab) => tab.id === id);
    const tabs = now.tabs.filter((tab) => tab.id !== id);
    const current = now.current === id ? (tabs[at] ?? tabs.at(-1))?.id : now.current;
    return { tabs, current, shown: now.shown && tabs.length > 0 };
  });
}
