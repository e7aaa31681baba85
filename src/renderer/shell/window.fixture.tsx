/** For tests: the whole window over a fake main that keeps one lab in memory. */
import { vi } from 'vitest';
import { configure, render } from '@testing-library/react';
import type { OpenLab } from '../../shared/contract/api.ts';
import { plain } from '../../shared/base/phrase.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { standIn, type Answers, type StandIn } from '../api/client.fixture.ts';
import { startI18n } from '../i18n/index.ts';
import {
  closeLab,
  dropAllDrafts,
  putSettings,
  usePromptStore,
  useRunStore,
  useRunsView,
  useRunStart,
  useViewStore,
  useWindowStore,
  wire,
} from '../state/index.ts';
import { App } from './App.tsx';

// A busy machine takes seconds to draw the whole window.
configure({ asyncUtilTimeout: 30_000 });

/** Browser functions that jsdom lacks and Mantine and React Flow call. */
export function furnishBrowser(): void {
  class Observer {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal(
    'DOMMatrixReadOnly',
    class {
      readonly m22 = 1;
    },
  );
  vi.stubGlobal('matchMedia', (query: string) => ({
    // No animations, so that tests find elements at once.
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }));
  Element.prototype.scrollIntoView = () => undefined;
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  Element.prototype.setPointerCapture = () => undefined;
}

export function labOf(names: readonly string[]): LabDocument {
  const lab = emptyLab('lab', 'Test lab');
  return {
    ...lab,
    nodes: names.map((name, index) => ({
      id: `n${index + 1}`,
      name,
      kind: 'cpu',
      position: { x: index * 240, y: 0 },
      placement: {
        region: 'local',
        pool: 'local',
        image: 'debian-12',
        flavour: { name: 'cpu', gpuModel: '', gpuCount: 0 },
        cpus: 2,
        memoryGb: 4,
        diskGb: 10,
      },
      access: { type: 'local' },
    })),
  };
}

export interface OpenedWindow extends StandIn {
  /** The lab as main stores it. */
  readonly stored: () => LabDocument;
  readonly stop: () => void;
}

/** @param address of the page, such as '/#lab=lab&run=r' */
export async function openWindow(
  lab: LabDocument,
  answers: Answers = {},
  address = '/',
): Promise<OpenedWindow> {
  closeLab();
  dropAllDrafts();
  localStorage.clear();
  history.replaceState(null, '', address);
  putSettings({ language: 'en', theme: 'light', notifications: true });
  usePromptStore.setState({ open: [] });
  useRunStore.setState({ records: {}, summaries: {}, shown: {} });
  useWindowStore.setState({ phase: 'loading', problems: [], labs: [] });
  useRunsView.setState({ view: 'run', page: undefined, marked: [], compared: [], dialog: undefined });
  useRunStart.setState({ starting: false, problemsListed: false, demanded: false });
  useViewStore.setState({ page: 'experiment', asking: undefined, connecting: undefined, focus: undefined });
  let open: OpenLab = { lab, path: '/labs/lab.lab.json', revision: 1, issues: checkLab(lab) };
  const stand = standIn({
    'app.info': () => ({
      version: '9.9',
      host: 'web',
      platform: 'linux',
      dataFolder: '/d',
      secrets: 'memory',
      replaced: false,
      hardware: { cpus: 2, memoryBytes: 4e9, gpus: [] },
    }),
    'settings.get': () => ({ language: 'en', theme: 'light', notifications: true }),
    'settings.set': ({ language = 'en', theme = 'light', notifications = true }) => ({
      language,
      theme,
      notifications,
    }),
    'lab.ofRuns': () => [],
    'lab.list': () => [
      { id: lab.id, name: lab.name, path: open.path, nodes: lab.nodes.length, changedAt: 1 },
    ],
    'run.problems': () => [],
    'lab.examples': () => [
      { name: 'three-local-nodes', title: plain('Three local nodes'), description: plain('A ring.') },
    ],
    'lab.open': () => open,
    'lab.save': ({ lab: next, revision }) => {
      open = { ...open, lab: next, revision: revision + 1 };
      return open;
    },
    'lab.checkHere': () => [],
    'prompt.list': () => [],
    'estimate.measured': () => ({ localCpus: 2 }),
    'run.list': () => [],
    'provision.status': () => [],
    'node.connections': () => [],
    'net.state': ({ labId }) => ({
      labId,
      emulated: false,
      reason: 'not_raised' as const,
      links: [],
      paths: [],
    }),
    ...answers,
  });
  await startI18n('en');
  const stop = wire(stand.client);
  const { unmount } = render(<App client={stand.client} />);
  return {
    ...stand,
    stored: () => open.lab,
    stop: () => {
      unmount();
      stop();
    },
  };
}
