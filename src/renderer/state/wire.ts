/** Subscribes to main's events and writes them to the window's state. No other file does. */
import type { AnyEvent, OpenLab } from '../../shared/contract/api.ts';
import { toWireError, fromWireError, RinglabError } from '../../shared/base/errors.ts';
import type { LabClient } from '../api/index.ts';
import { followDeletion, followRemoteLab } from './autosave.ts';
import { followHere } from './before-run/check-here.ts';
import { followEstimate } from './before-run/estimate.ts';
import { showLab, useLabStore } from './lab.ts';
import { putNetwork, putTraffic } from './network.ts';
import { closePrompt, putAllPrompts, putPrompt } from './prompts.ts';
import { putAllConnections, putAllReadiness, putConnection, putReadiness } from './readiness.ts';
import {
  dropRun,
  putProgress,
  putRun,
  putSummaries,
  notifyAllMissed,
  notifyLog,
  notifyPoints,
  useRunStore,
} from './runs.ts';
import { askedLab, followAddress, showAddressed, type Address } from './runs/address.ts';
import { putSettings, resolveLanguage, useSettingsStore } from './settings.ts';
import { notifyTerminals } from './terminals.ts';
import { lostCopies } from './unsaved.ts';
import { putFetch } from './runs/fetches.ts';
import { dropLab, putLab, report, useWindowStore, type WindowSlice } from './window.ts';

/** The example that needs no other machine: run at the end of the tour, where this computer can have local nodes. */
export const localExample = 'three-local-nodes';
/** Where this computer has none: machines whose addresses are to be filled in. */
const remoteExample = 'ceni-three-gpu-nodes';
export const hasLocalNodes = (info: { readonly platform: string } | undefined): boolean =>
  info?.platform !== 'win32';
const lastLabKey = 'ringlab.lastLab';

/** Converts thrown values to an error of the closed list. */
export const asRinglabError = (error: unknown): RinglabError =>
  error instanceof RinglabError ? error : fromWireError(toWireError(error));

function takeEvent(api: LabClient, event: AnyEvent, attempt: (work: () => Promise<void>) => void): void {
  switch (event.name) {
    case 'lab.changed': {
      const { labId, revision, summary } = event.data;
      const isShown = labId === useLabStore.getState().lab?.id;
      if (summary === null) dropLab(labId);
      else putLab(summary);
      if (!isShown) break;
      attempt(() => (summary === null ? followDeletion(labId) : followRemoteLab(api, revision)));
      break;
    }
    case 'run.changed':
      putRun(event.data.run);
      break;
    case 'run.progress':
      putProgress(event.data.runId, event.data.progress);
      break;
    case 'artifact.progress':
      putFetch(event.data);
      break;
    case 'run.removed':
      dropRun(event.data.runId);
      break;
    case 'run.points':
      notifyPoints(event.data.runId, event.data);
      break;
    case 'run.log':
      notifyLog(event.data.runId, event.data);
      break;
    case 'provision.changed':
      putReadiness(event.data.readiness);
      break;
    case 'connection.changed':
      putConnection(event.data.connection);
      break;
    case 'net.changed':
      putNetwork(event.data.state);
      break;
    case 'net.traffic':
      putTraffic(event.data.labId, event.data.links);
      break;
    case 'terminal.data': {
      const { data } = event;
      notifyTerminals((listener) => listener.onData(data));
      break;
    }
    case 'terminal.ended': {
      const { terminal } = event.data;
      notifyTerminals((listener) => listener.onEnded(terminal));
      break;
    }
    case 'prompt.asked':
      putPrompt(event.data.prompt);
      break;
    case 'prompt.closed':
      closePrompt(event.data.promptId);
      break;
    case 'settings.changed':
      putSettings(event.data.settings);
      break;
    case 'app.replaced':
      useWindowStore.setState(({ info }) => ({ info: info && { ...info, replaced: true } }));
      break;
    case 'app.problem':
      report(fromWireError(event.data.error));
      break;
  }
}

/** Then files that were put into the folder by hand are listed too. */
export const refreshLabs = async (api: LabClient): Promise<void> => {
  try {
    useWindowStore.setState({ labs: await api.call('lab.list', {}) });
  } catch (error) {
    report(asRinglabError(error));
  }
};
export const refreshRunLabs = async (api: LabClient): Promise<void> => {
  try {
    useWindowStore.setState({ runLabs: await api.call('lab.ofRuns', {}) });
  } catch (error) {
    report(asRinglabError(error));
  }
};

/** What the page's address asked for when it was loaded, until the runs of that lab are known. */
let askedFirst: Address | undefined;

/** The data of the lab that is shown: its runs, its nodes' readiness and connections; each put as `fill` does. */
async function fillLab(api: LabClient, labId: string): Promise<void> {
  const isShown = (): boolean => useLabStore.getState().lab?.id === labId;
  const ifShown =
    <T>(put: (answer: T) => void) =>
    (answer: T): void => {
      if (isShown()) put(answer);
    };
  await Promise.all([
    api.call('run.list', { labId }).then(ifShown((runs) => putSummaries(runs, labId))),
    api.call('provision.status', { labId }).then(ifShown(putAllReadiness)),
    api.call('node.connections', { labId }).then(ifShown(putAllConnections)),
    api.call('net.state', { labId }).then(ifShown(putNetwork)),
  ]);
  if (!isShown()) return;
  const asked = askedFirst;
  askedFirst = undefined;
  if (asked?.lab === labId) showAddressed(asked);
}

/**
 * Requests everything that is shown again: at the start, and after a gap in the events. Each answer is put as it arrives: kept
 * until the slowest is there, it would replace what events have said since.
 */
async function fill(api: LabClient): Promise<void> {
  const put = (slice: Partial<WindowSlice>): void => useWindowStore.setState(slice);
  await Promise.all([
    api.call('app.info', {}).then((info) => put({ info })),
    api.call('settings.get', {}).then(putSettings),
    api.call('lab.list', {}).then((labs) => put({ labs })),
    api.call('lab.examples', {}).then((examples) => put({ examples })),
    api.call('prompt.list', {}).then(putAllPrompts),
  ]);
}

/** The lab that the address names, else the one shown last, else the one changed last. */
async function openFirst(api: LabClient): Promise<void> {
  const { labs, info } = useWindowStore.getState();
  const good = labs.filter((lab) => lab.error === undefined).toSorted((a, b) => b.changedAt - a.changedAt);
  const asked = askedLab(
    window,
    labs.map(({ id }) => id),
  );
  const last = asked?.lab ?? localStorage.getItem(lastLabKey);
  const lab = good.find((one) => one.id === last) ?? good[0];
  const lost = await lostCopies();
  const first =
    lab !== undefined
      ? await api.call('lab.open', { labId: lab.id })
      : labs.length === 0
        ? await firstOfAll(api, info)
        : undefined;
  // The user may have opened or created another one since: that one stays.
  if (first === undefined || useLabStore.getState().lab !== undefined) return;
  askedFirst = asked;
  showLab(first, lost);
}

/** Without any lab: that of the command line's newest run, else an example. */
async function firstOfAll(api: LabClient, info: WindowSlice['info']): Promise<OpenLab> {
  const [newest] = await api.call('lab.ofRuns', {});
  return newest !== undefined
    ? api.call('lab.fromRun', { runId: newest.runId })
    : api.call('lab.fromExample', {
        name: hasLocalNodes(info) ? localExample : remoteExample,
        language: resolveLanguage(useSettingsStore.getState().language),
      });
}

/** Reads a run again; one that is gone is dropped. */
async function fillRun(api: LabClient, runId: string): Promise<void> {
  try {
    putRun(await api.call('run.get', { runId }));
  } catch (error) {
    const known = asRinglabError(error);
    if (known.code === 'connection_lost') throw known;
    if (known.code === 'not_found') dropRun(runId);
    else report(known);
  }
}

/** Existing runs that cannot be opened: reported once, when the window opens. */
async function reportProblems(api: LabClient): Promise<void> {
  for (const error of await api.call('run.problems', {})) report(fromWireError(error));
}

/** Subscribes to everything and fills the state. Returns a function that stops it. */
export function wire(api: LabClient): () => void {
  useWindowStore.setState({ wire: api.status() });
  /** The connection broke while something was requested: the next one begins with all of it. */
  let interrupted = false;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const known = asRinglabError(error);
      // The banner shows this already.
      if (known.code === 'connection_lost') interrupted = true;
      else report(known);
    }
  };
  let beginning: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    (beginning ??= attempt(async () => {
      await fill(api);
      if (useLabStore.getState().lab === undefined) {
        try {
          await openFirst(api);
          await reportProblems(api);
        } catch (error) {
          const known = asRinglabError(error);
          if (known.code === 'connection_lost') throw known;
          report(known);
        }
      }
      useWindowStore.setState({ phase: 'ready' });
    }).finally(() => {
      beginning = undefined;
    }));
  const resynchronise = (): Promise<void> =>
    attempt(async () => {
      interrupted = false;
      if (useWindowStore.getState().phase === 'loading') return begin();
      await fill(api);
      const { lab } = useLabStore.getState();
      if (lab !== undefined) {
        await Promise.all([followRemoteLab(api, undefined), fillLab(api, lab.id)]);
      }
      for (const runId of Object.keys(useRunStore.getState().records)) {
        await fillRun(api, runId);
      }
      notifyAllMissed();
      notifyTerminals((listener) => listener.onMissed());
    });

  const stops = [
    followEstimate(api),
    followHere(api, window),
    followAddress(api, window, (error) => report(asRinglabError(error))),
    api.subscribe((event) => takeEvent(api, event, (work) => void attempt(work))),
    api.onResync(() => void resynchronise()),
    api.onProblem(report),
    api.onStatus((status) => {
      useWindowStore.setState({ wire: status });
      if (status.state !== 'open') return;
      if (useWindowStore.getState().phase === 'loading') void begin();
      else if (interrupted) void resynchronise();
    }),
    useLabStore.subscribe((now, before) => {
      const labId = now.lab?.id;
      if (labId === undefined || labId === before.lab?.id) return;
      localStorage.setItem(lastLabKey, labId);
      void attempt(() => fillLab(api, labId));
      void refreshLabs(api);
    }),
  ];
  void begin();
  return () => {
    for (const stop of stops) stop();
  };
}
