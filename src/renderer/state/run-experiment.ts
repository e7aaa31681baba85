/** 'Run experiment': what the button, the key and the list of commands do. */
import { create } from 'zustand';
import { hasErrors } from '../../shared/lab/lab-check.ts';
import type { LabClient } from '../api/index.ts';
import { saveNow } from './autosave.ts';
import { badDrafts, useDraftStore } from './drafts.ts';
import { useLabStore } from './lab.ts';
import { activeRunId, putRun, showRun, useRunStore } from './runs.ts';
import { report } from './window.ts';
import { asRinglabError } from './wire.ts';

interface RunStart {
  /** Asked for, and not recorded yet. */
  readonly starting: boolean;
  /** Whether the list of what is wrong with the lab is open. */
  readonly problemsListed: boolean;
}

export const useRunStart = create<RunStart>(() => ({ starting: false, problemsListed: false }));
export const listProblems = (problemsListed: boolean): void => useRunStart.setState({ problemsListed });

/** Saves the open lab and starts its run; opens the list of problems where there are errors, and does nothing where it runs. */
export async function runExperiment(api: LabClient): Promise<void> {
  const { lab, issues } = useLabStore.getState();
  if (lab === undefined || useRunStart.getState().starting) return;
  if (activeRunId(useRunStore.getState(), lab.id) !== undefined) return;
  if (hasErrors(issues) || badDrafts(useDraftStore.getState().drafts, lab).length > 0) {
    listProblems(true);
    return;
  }
  useRunStart.setState({ starting: true });
  try {
    await saveNow(api);
    const started = await api.call('run.start', { labId: lab.id });
    putRun(await api.call('run.get', started));
    showRun(lab.id, started.runId);
  } catch (error) {
    report(asRinglabError(error));
  } finally {
    useRunStart.setState({ starting: false });
  }
}
