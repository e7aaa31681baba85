/** The action 'Run experiment', shared by the button, the key and the command palette. */
import { create } from 'zustand';
import { hasErrors } from '../../../shared/lab/lab-check.ts';
import type { LabClient } from '../../api/index.ts';
import { checkHere } from './check-here.ts';
import { saveNow } from '../autosave.ts';
import { badDrafts, useDraftStore } from '../drafts.ts';
import { useLabStore } from '../lab.ts';
import { openRun } from '../runs/runs-view.ts';
import { activeRunId, putRun, useRunStore } from '../runs.ts';
import { report } from '../window.ts';
import { asRinglabError } from '../wire.ts';

interface RunStart {
  /** Requested, but not recorded yet. */
  readonly starting: boolean;
  /** Whether the list of the lab's problems is open. */
  readonly problemsListed: boolean;
  /** The user has asked what is missing: every field says its problem, until none is left. */
  readonly demanded: boolean;
}

export const useRunStart = create<RunStart>(() => ({
  starting: false,
  problemsListed: false,
  demanded: false,
}));
export const listProblems = (problemsListed: boolean): void =>
  useRunStart.setState((now) => ({ problemsListed, demanded: now.demanded || problemsListed }));
/** Another lab is open, or every problem is corrected. */
export const forgetProblems = (): void => useRunStart.setState({ problemsListed: false, demanded: false });

/** Its events bring it, too: a request that fails now must not look as if it had not been started. */
const readRun = (api: LabClient, runId: string): Promise<void> =>
  api.call('run.get', { runId }).then(putRun, () => undefined);

/** Saves the open lab and starts its run. Opens the list of problems if there are errors; does nothing if a run is active. */
export const runExperiment = (api: LabClient): Promise<void> =>
  withSavedLab(api, async (labId) => {
    if (activeRunId(useRunStore.getState(), labId) !== undefined) return;
    const started = await api.call('run.start', { labId });
    await readRun(api, started.runId);
    openRun(labId, started.runId);
  });

/** The same as a queued run, after the active one; returns whether there is one more in the queue. */
export async function queueExperiment(api: LabClient): Promise<boolean> {
  let isQueued = false;
  await withSavedLab(api, async (labId) => {
    const { runIds } = await api.call('run.queue', { from: { labId }, changes: [{}] });
    for (const runId of runIds) await readRun(api, runId);
    isQueued = true;
  });
  return isQueued;
}

/** Whether the open lab can be run as it is drawn; otherwise its problems are listed. */
export async function readyToRun(api: LabClient): Promise<boolean> {
  // A file may have come or gone since the last look.
  await checkHere(api);
  const { lab, issues } = useLabStore.getState();
  if (!hasErrors(issues) && badDrafts(useDraftStore.getState().drafts, lab).length === 0) return true;
  listProblems(true);
  return false;
}

async function withSavedLab(api: LabClient, act: (labId: string) => Promise<void>): Promise<void> {
  const { lab } = useLabStore.getState();
  if (lab === undefined || useRunStart.getState().starting) return;
  useRunStart.setState({ starting: true });
  try {
    if (!(await readyToRun(api))) return;
    await saveNow(api);
    await act(lab.id);
  } catch (error) {
    report(asRinglabError(error));
  } finally {
    useRunStart.setState({ starting: false });
  }
}
