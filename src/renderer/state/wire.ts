/** Fills the window's state from main, at the start and after events were missed; `take-event.ts` has what each event changes. */
import type { OpenLab } from '../../shared/contract/api.ts';
import { backOffMs, type BackOff } from '../../shared/base/back-off.ts';
import { toWireError, fromWireError, RinglabError } from '../../shared/base/errors.ts';
import type { LabClient } from '../api/index.ts';
import { followRemoteLab } from './autosave.ts';
import { followHere } from './before-run/check-here.ts';
import { followEstimate } from './before-run/estimate.ts';
import { showLab, useLabStore } from './lab.ts';
import { putNetwork } from './network.ts';
import { putAllPrompts } from './prompts.ts';
import { putAllConnections, putAllReadiness } from './readiness.ts';
import { keepText } from './kept/kept-text.ts';
import { dropRun, notifyAllMissed, putRun, putSummaries, useRunStore } from './runs.ts';
import { askedLab, followAddress, showAddressed, type Address } from './runs/address.ts';
import { enterLab } from './runs/runs-view.ts';
import { putSettings, resolveLanguage, useSettingsStore } from './settings.ts';
import { takeEvent } from './take-event.ts';
import { notifyTerminals } from './terminals.ts';
import { lostCopies } from './unsaved.ts';
import { report, useWindowStore, type WindowSlice } from './window.ts';

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

const resyncRetries: BackOff = { firstMs: 4000, maxMs: 60_000 };

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
  let again: ReturnType<typeof setTimeout> | undefined;
  /** What main refuses is asked again: without an answer the window would show what was before, or nothing. */
  const retryLater = (work: (failures: number) => Promise<void>, error: unknown, failures: number): void => {
    const known = asRinglabError(error);
    interrupted = true;
    if (known.code === 'connection_lost') return;
    if (failures === 0) report(known);
    clearTimeout(again);
    const waitMs = backOffMs(failures + 1, resyncRetries, Math.random());
    again = setTimeout(() => void work(failures + 1), waitMs);
  };
  const fillFirst = async (): Promise<void> => {
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
  };
  let beginning: Promise<void> | undefined;
  const begin = (failures = 0): Promise<void> =>
    (beginning ??= fillFirst()
      .catch((error: unknown) => retryLater(begin, error, failures))
      .finally(() => {
        beginning = undefined;
      }));
  const resynchronise = async (failures = 0): Promise<void> => {
    clearTimeout(again);
    interrupted = false;
    try {
      if (useWindowStore.getState().phase === 'loading') {
        await begin();
        return;
      }
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
    } catch (error) {
      retryLater(resynchronise, error, failures);
    }
  };

  const stops = [
    // Before the address is written, which names the view.
    useLabStore.subscribe((now) => enterLab(now.lab?.id)),
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
      keepText(lastLabKey, labId);
      void attempt(() => fillLab(api, labId));
      void refreshLabs(api);
    }),
  ];
  void begin();
  return () => {
    clearTimeout(again);
    for (const stop of stops) stop();
  };
}
