// @vitest-environment jsdom
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RinglabError, type ErrorCode } from '../../shared/base/errors.ts';
import type { EventData } from '../../shared/contract/api.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import type { TerminalSize, TerminalState } from '../../shared/node/terminal.ts';
import { standIn, type Answers, type StandIn } from '../api/client.fixture.ts';
import { startI18n } from '../i18n/index.ts';
import { closeLab, showLab } from '../state/index.ts';
import { notifyTerminals } from '../state/terminals.ts';
import { namesOf } from './names.ts';
import type { Screen, ScreenEvents } from './screen.ts';
import { closeTab, followTerminals, openAnother, openTerminal, useTabs } from './tabs.ts';

/** A screen without pixels, which draws what it was given only when the test says so. */
interface TestScreen extends Screen {
  readonly events: ScreenEvents;
  readonly notes: string[];
  /** Written pieces that are not drawn yet. */
  readonly undrawn: string[];
  drawOne(): void;
  shownAs: TerminalSize;
}
const made = vi.hoisted(() => ({ screens: [] as unknown[] }));
vi.mock('./screen.ts', () => ({
  createScreen(events: ScreenEvents): TestScreen {
    const screen: TestScreen = {
      events,
      notes: [],
      undrawn: [],
      shownAs: { columns: 80, rows: 24 },
      element: document.createElement('div'),
      size: () => screen.shownAs,
      write: (text) => screen.undrawn.push(text),
      note: (text) => screen.notes.push(text),
      drawOne() {
        const text = screen.undrawn.shift();
        if (text !== undefined) events.onShown(text.length);
      },
      clear: () => undefined,
      focus: () => undefined,
      fit: () => undefined,
      find: () => false,
      marksPastes: () => false,
      retheme: () => undefined,
      dispose: () => undefined,
    };
    made.screens.push(screen);
    return screen;
  },
}));
// All screens are those made above.
const screens = made.screens as TestScreen[];

const labOf = (id: string, host: string): LabDocument => ({
  ...emptyLab(id, `Lab ${id}`),
  nodes: [
    {
      id: 'n1',
      name: 'N1',
      kind: 'cpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'ssh', host, port: 22, user: 'u', authentication: { method: 'agent' } },
    },
  ],
});
const show = (lab: LabDocument): void => showLab({ lab, revision: 1, path: '/l', issues: [] });
const stateOf = (terminalId: string, labId = 'lab1'): TerminalState => ({
  ...{ terminalId, labId, nodeId: 'n1', since: 0, end: 0 },
});

beforeAll(() => startI18n('en'));

let app: StandIn;
let stop: () => void;
let opened: number;
let open: NonNullable<Answers['terminal.open']>;
let read: NonNullable<Answers['terminal.read']>;
let list: NonNullable<Answers['terminal.list']>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  screens.length = 0;
  opened = 0;
  list = () => [];
  read = ({ offset }) => ({ text: '', offset, end: offset });
  open = ({ labId }) => stateOf(`t${opened}`, labId);
  app = standIn({
    'terminal.open'(args) {
      opened += 1;
      return open(args);
    },
    'terminal.list': (args) => list(args),
    'terminal.input': () => ({}),
    'terminal.read': (args) => read(args),
    'terminal.seen': () => ({}),
    'terminal.resize': () => ({}),
    'terminal.close': () => ({}),
  });
  stop = followTerminals(app.client);
  show(labOf('lab1', 'host-a'));
});
afterEach(() => {
  for (const { id } of useTabs.getState().tabs) closeTab(app.client, id);
  stop();
  closeLab();
  vi.useRealTimers();
});

const until = (isSo: () => void): Promise<void> => vi.waitFor(isSo, 30_000);

/** Opens a terminal on the open lab's node, and waits until its tab is in that state. */
async function openedAs(state: 'opening' | 'open' | 'lost' | 'ended') {
  openTerminal(app.client, 'n1');
  await until(() => expect(useTabs.getState().tabs.at(-1)?.state).toBe(state));
  await until(() => expect(screens).toHaveLength(useTabs.getState().tabs.length));
  const [tab, screen] = [useTabs.getState().tabs.at(-1), screens.at(-1)];
  if (tab === undefined || screen === undefined) throw new Error('no terminal');
  return { tab, screen };
}
const minutesLater = () => vi.advanceTimersByTimeAsync(300_000);
const fails = (code: ErrorCode, params = {}) => {
  open = () => Promise.reject(new RinglabError(code, params));
};

describe('a terminal that could not be opened', () => {
  it.each<[ErrorCode, Record<string, string>]>([
    ['prompt_unanswered', {}],
    ['host_key_unknown', { host: 'h' }],
    ['auth_failed', { host: 'h' }],
    ['terminals_per_connection', { host: 'h' }],
    ['not_found', { what: 'node', id: 'n1' }],
    ['jump_failed', { hop: 'u@h:22', cause: 'auth_failed' }],
  ])('is not opened again by itself where that would ask or be refused again: %s', async (code, params) => {
    fails(code, params);
    const { screen } = await openedAs('ended');
    await minutesLater();
    expect(opened).toBe(1);
    expect(screen.notes.at(-1)).toContain('Enter');
    screen.events.onInput('\r');
    await until(() => expect(opened).toBe(2));
  });

  it('can be opened again where the attempt was given up, as when its address was corrected', async () => {
    fails('cancelled');
    const { screen } = await openedAs('ended');
    await minutesLater();
    expect(opened).toBe(1);
    expect(screen.notes).toEqual([expect.stringContaining('Enter')]);
    screen.events.onInput('\r');
    await until(() => expect(opened).toBe(2));
  });

  it.each<[ErrorCode, Record<string, string>]>([
    ['host_unreachable', { host: 'h' }],
    ['connection_lost', { host: 'h' }],
    ['jump_failed', { hop: 'u@h:22', cause: 'host_refused' }],
    ['jump_failed', { hop: 'u@h:22' }],
  ])('is opened again where the machine was away: %s', async (code, params) => {
    fails(code, params);
    await openedAs('lost');
    await minutesLater();
    expect(opened).toBeGreaterThan(5);
  });
});

describe('output', () => {
  const take = (data: EventData<'terminal.data'>): void =>
    notifyTerminals((listener) => listener.onData(data));

  it('counts as drawn only once it is drawn, or where it was left out', async () => {
    const { screen } = await openedAs('open');
    const seen = (): unknown[] =>
      app.calls.filter(({ name }) => name === 'terminal.seen').map(({ args }) => args);
    const piece = 40 * 1024;
    const send = (offset: number): void => {
      take({ terminalId: 't1', offset, text: 'x'.repeat(piece) });
    };
    await until(() => expect(app.calls.some(({ name }) => name === 'terminal.read')).toBe(true));
    for (let at = 0; at < 5; at += 1) send(at * piece);
    expect(screen.undrawn).toHaveLength(5);
    screen.drawOne();
    expect(seen()).toEqual([{ terminalId: 't1', end: piece }]);

    // Main kept no more than the newest piece of what follows: nobody will draw the rest.
    read = () => ({ text: 'y'.repeat(piece), offset: 9 * piece, end: 10 * piece });
    take({ terminalId: 't1', offset: 10 * piece, text: '' });
    await until(() => expect(screen.undrawn).toHaveLength(5));
    screen.drawOne();
    expect(seen().at(-1)).toEqual({ terminalId: 't1', end: 6 * piece });
    while (screen.undrawn.length > 0) screen.drawOne();
    expect(seen().at(-1)).toEqual({ terminalId: 't1', end: 10 * piece });
  });
});

describe('terminals of several labs', () => {
  it('stay on their own machines: another one on a tab’s node is not on the open lab’s node of that id', async () => {
    const { tab } = await openedAs('open');
    show(labOf('lab2', 'host-b'));
    openAnother(app.client, tab.id);
    await until(() => expect(opened).toBe(2));
    expect(app.calls.findLast(({ name }) => name === 'terminal.open')?.args).toMatchObject({
      labId: 'lab1',
      nodeId: 'n1',
    });
  });

  it('have the lab in their names, where there are several', async () => {
    await openedAs('open');
    expect([...namesOf(useTabs.getState().tabs).values()]).toEqual(['N1']);
    await openedAs('open');
    expect([...namesOf(useTabs.getState().tabs).values()]).toEqual(['N1', 'N1 (2)']);
    show(labOf('lab2', 'host-b'));
    await openedAs('open');
    expect([...namesOf(useTabs.getState().tabs).values()]).toEqual([
      'N1 · Lab lab1',
      'N1 · Lab lab1 (2)',
      'N1 · Lab lab2',
    ]);
  });
});

it('a screen that is resized while its terminal is being opened gives the shell its new size', async () => {
  let answer = (): void => undefined;
  open = () => new Promise((resolve) => (answer = () => resolve(stateOf('t1'))));
  const { screen } = await openedAs('opening');
  await until(() => expect(opened).toBe(1));
  screen.shownAs = { columns: 120, rows: 40 };
  screen.events.onSize(screen.shownAs);
  answer();
  await until(() => expect(useTabs.getState().tabs.at(-1)?.state).toBe('open'));
  expect(app.calls.filter(({ name }) => name === 'terminal.resize').map(({ args }) => args)).toEqual([
    { terminalId: 't1', size: { columns: 120, rows: 40 } },
  ]);
});

describe('terminals that are open already', () => {
  it('are shown again after a reload of the page, with their output, and can be closed', async () => {
    list = ({ labId }) => [
      stateOf('kept', labId),
      { ...stateOf('over', labId), ended: { error: { code: 'connection_lost', params: {} } } },
    ];
    read = () => ({ text: 'earlier', offset: 0, end: 7 });
    show(labOf('lab3', 'host-a'));
    await until(() => expect(screens[0]?.undrawn).toEqual(['earlier']));
    expect(useTabs.getState().tabs).toMatchObject([{ labId: 'lab3', node: 'N1', state: 'open' }]);
    expect(useTabs.getState()).toMatchObject({ current: useTabs.getState().tabs[0]?.id, shown: false });
    expect(opened).toBe(0);
    screens[0]?.events.onInput('ls');
    closeTab(app.client, useTabs.getState().tabs[0]?.id ?? '');
    await until(() =>
      expect(app.calls).toContainEqual({ name: 'terminal.close', args: { terminalId: 'kept' } }),
    );
    expect(app.calls).toContainEqual({ name: 'terminal.input', args: { terminalId: 'kept', text: 'ls' } });
  });

  it('do not get answers to requests in the output that is shown again: its programs had them', async () => {
    list = ({ labId }) => [stateOf('kept', labId)];
    read = () => ({ text: 'earlier', offset: 3, end: 10 });
    const answer = '\x1b[2;2R';
    const inputs = (): unknown[] => app.calls.filter(({ name }) => name === 'terminal.input');
    show(labOf('lab6', 'host-a'));
    await until(() => expect(screens[0]?.undrawn).toEqual(['earlier']));
    screens[0]?.events.onInput(answer);
    expect(inputs()).toEqual([]);
    screens[0]?.events.onInput('ls');
    screens[0]?.drawOne();
    screens[0]?.events.onInput(answer);
    expect(inputs()).toHaveLength(2);

    const { screen } = await openedAs('open');
    screen.events.onInput(answer);
    expect(inputs()).toHaveLength(3);
  });

  it('and that another window closes have ended here', async () => {
    const { tab, screen } = await openedAs('open');
    notifyTerminals((listener) => listener.onEnded({ ...stateOf('t1'), ended: {} }));
    expect(useTabs.getState().tabs).toMatchObject([{ id: tab.id, state: 'ended' }]);
    expect(screen.notes).toEqual(['Closed in another window; Enter starts another one']);
  });

  it('are shown once, also where their lab is opened again', async () => {
    list = ({ labId }) => (labId === 'lab4' ? [stateOf('kept', labId)] : []);
    show(labOf('lab4', 'host-a'));
    show(labOf('lab5', 'host-a'));
    show(labOf('lab4', 'host-a'));
    await until(() => expect(screens).toHaveLength(1));
    await minutesLater();
    expect(useTabs.getState().tabs).toHaveLength(1);
  });
});
