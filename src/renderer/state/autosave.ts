/** Saves the open lab soon after each edit, one request at a time; a failure keeps everything and says so. */
import type { OpenLab } from '../../shared/contract/api.ts';
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { LabClient } from '../api/index.ts';
import { showLab, useLabStore } from './lab.ts';
import { forgetUnsaved, keepUnsaved } from './unsaved.ts';

export const saveDelay = 400;
/** After an edit it lies beside the page this soon. */
const keepDelay = 50;
/** After a failure it is tried again after this long, or at the next edit. */
export const retryDelay = 5000;

let underWay: Promise<void> | undefined;

const isUnsaved = (): boolean => {
  const { lab, savedLab } = useLabStore.getState();
  return lab !== undefined && lab !== savedLab;
};

/**
 * Saves now what is not saved. Resolves when main has the newest edit; rejects with the reason where it has not.
 */
export async function saveNow(api: LabClient): Promise<void> {
  while (isUnsaved() || underWay !== undefined) {
    underWay ??= saveOnce(api).finally(() => {
      underWay = undefined;
    });
    await underWay;
  }
}

async function saveOnce(api: LabClient): Promise<void> {
  const { lab, revision } = useLabStore.getState();
  if (lab === undefined) return;
  useLabStore.setState({ save: { state: 'saving' } });
  try {
    const open = await api.call('lab.save', { lab, revision });
    settle(lab, open);
  } catch (error) {
    const wire = toWireError(error);
    if (useLabStore.getState().lab?.id === lab.id) {
      useLabStore.setState({
        save: wire.code === 'lab_conflict' ? { state: 'conflict' } : { state: 'failed', error: wire },
      });
    }
    throw error;
  }
}

/** Main has this version: what was edited meanwhile stays unsaved. */
function settle(saved: LabDocument, open: OpenLab): void {
  useLabStore.setState((now) => {
    if (now.lab?.id !== saved.id) return {};
    return {
      savedLab: saved,
      revision: open.revision,
      path: open.path,
      save: { state: now.lab === saved ? 'saved' : 'unsaved' },
    };
  });
}

/**
 * Main has another version (another window saved it). Nothing unsaved here: show it. Else the next save meets
 * `lab_conflict`, and the user decides.
 * @param revision the newest, where it is known
 */
export async function followRemoteLab(api: LabClient, revision: number | undefined): Promise<void> {
  await underWay?.catch(() => undefined);
  const { lab, revision: ours } = useLabStore.getState();
  if (lab === undefined || isUnsaved() || (revision !== undefined && revision <= ours)) return;
  try {
    const open = await api.call('lab.open', { labId: lab.id });
    const now = useLabStore.getState();
    if (now.lab === lab && open.revision !== now.revision) showLab(open);
  } catch {
    // What is shown stays as it is; saving it will say what is wrong.
  }
}

export type ConflictChoice = 'reload' | 'copy';

/** Decides a conflict: theirs is shown; with `copy`, ours is kept beside it under `copyName` and shown. */
export async function decideConflict(
  api: LabClient,
  choice: ConflictChoice,
  copyName: string,
): Promise<void> {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  if (choice === 'reload') {
    showLab(await api.call('lab.open', { labId: lab.id }));
    return;
  }
  // Importing gives the copy an id of its own, since its id is taken.
  const text = JSON.stringify({ ...lab, name: copyName });
  showLab(await api.call('lab.import', { text, name: copyName, own: true }));
}

/** Starts saving after each edit. Returns how to stop. */
export function autosave(api: LabClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;
  const keepNow = (): void => {
    const { lab, revision } = useLabStore.getState();
    if (lab !== undefined && isUnsaved()) keepUnsaved(lab, revision);
  };
  const plan = (delay: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (useLabStore.getState().save.state === 'conflict') return;
      saveNow(api).catch((error: unknown) => {
        if (!(error instanceof RinglabError && error.code === 'lab_conflict')) plan(retryDelay);
      });
    }, delay);
  };
  const stops = [
    useLabStore.subscribe((now, before) => {
      if (now.lab !== before.lab && now.lab !== now.savedLab) plan(saveDelay);
      // A move of 500 nodes is not written sixty times a second: at most once in a while, and once at its end.
      if (now.lab === before.lab && now.savedLab === before.savedLab) return;
      clearTimeout(keeping);
      if (now.lab === undefined || now.lab === now.savedLab) forgetUnsaved();
      else keeping = setTimeout(keepNow, keepDelay);
    }),
    api.onStatus((status) => {
      if (status.state === 'open' && isUnsaved()) plan(0);
    }),
  ];
  return () => {
    clearTimeout(timer);
    clearTimeout(keeping);
    for (const stop of stops) stop();
  };
}

/**
 * Saves at once when the page goes out of sight, and in a browser asks before it is closed with unsaved edits
 * (Electron would refuse to close without a word).
 */
export function saveBeforeLeaving(api: LabClient, page: Window): void {
  page.document.addEventListener('visibilitychange', () => {
    // What fails is shown by the save indicator, and tried again by autosave.
    if (page.document.visibilityState === 'hidden') saveNow(api).catch(() => undefined);
  });
  if (page.ringlab !== undefined) return;
  page.addEventListener('beforeunload', (event) => {
    if (!isUnsaved()) return;
    saveNow(api).catch(() => undefined);
    event.preventDefault();
  });
}
