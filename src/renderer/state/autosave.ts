/** Saves the open lab soon after each edit, one request at a time; after a failure the edits are kept and the user is notified. */
import type { OpenLab } from '../../shared/contract/api.ts';
import { toWireError, type ErrorCode } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { formatLab } from '../../shared/lab/read-lab.ts';
import type { LabClient } from '../api/index.ts';
import { dropAllDrafts } from './drafts.ts';
import { closeLab, showLab, useLabStore, type Stored } from './lab.ts';
import { forgetUnsaved, holdUnsaved, keepUnsaved, lostCopies } from './unsaved.ts';
import { dropLab } from './window.ts';

export const saveDelay = 400;
/** The delay before an edit is stored in the browser, in milliseconds. */
const keepDelay = 50;
/** The delay before a failed save is retried; the next edit retries at once. */
export const retryDelay = 5000;

/** Errors after which trying again cannot help. */
const conflicts: Partial<Record<ErrorCode, Stored>> = {
  lab_conflict: 'newer',
  not_found: 'gone',
  lab_unreadable: 'unreadable',
  lab_invalid: 'unreadable',
  lab_newer: 'unreadable',
};

let underWay: Promise<void> | undefined;
/** Its save was sent, and the connection broke before the answer: main may have stored it. */
let unanswered: LabDocument | undefined;

const isUnsaved = (): boolean => {
  const { lab, savedLab } = useLabStore.getState();
  return lab !== undefined && lab !== savedLab;
};

/**
 * Saves all unsaved edits now. Resolves when main has the newest edit; rejects with the reason if it does not.
 */
export async function saveNow(api: LabClient): Promise<void> {
  while (isUnsaved() || underWay !== undefined) {
    underWay ??= saveOnce(api).finally(() => {
      underWay = undefined;
    });
    await underWay;
  }
}

/**
 * Shows the lab that `ask` returns. The open lab is saved first, as are edits made while main answers; it stays open if that fails.
 */
export async function openOther(api: LabClient, ask: () => Promise<OpenLab>): Promise<void> {
  await saveNow(api);
  let lost = await lostCopies();
  let next = await ask();
  while (isUnsaved() || underWay !== undefined) {
    await saveNow(api);
    // Another page may have saved it meanwhile.
    lost = await lostCopies();
    next = await api.call('lab.open', { labId: next.lab.id });
  }
  dropAllDrafts();
  showLab(next, lost);
}

async function saveOnce(api: LabClient): Promise<void> {
  const { lab, revision } = useLabStore.getState();
  if (lab === undefined) return;
  useLabStore.setState({ save: { state: 'saving' } });
  try {
    const newest = unanswered?.id === lab.id ? await ownRevision(api, unanswered, revision) : revision;
    unanswered = lab;
    const open = await api.call('lab.save', { lab, revision: newest });
    unanswered = undefined;
    settle(lab, open);
  } catch (error) {
    if (toWireError(error).code !== 'connection_lost') unanswered = undefined;
    if (useLabStore.getState().lab?.id === lab.id && !isConflict(lab.id, error))
      useLabStore.setState({ save: { state: 'failed', error: toWireError(error) } });
    throw error;
  }
}

/** The revision of main's version where that is `sent`, else ours. */
async function ownRevision(api: LabClient, sent: LabDocument, ours: number): Promise<number> {
  const { lab, revision } = await api.call('lab.open', { labId: sent.id });
  if (formatLab(lab) !== formatLab(sent)) return ours;
  // This save, too, may fail.
  useLabStore.setState((now) => (now.lab?.id === sent.id ? { revision } : {}));
  return revision;
}

/** Whether the error of the open lab is one that the user has to decide about; then the window asks. */
function isConflict(labId: string, error: unknown): boolean {
  const stored = conflicts[toWireError(error).code];
  if (stored === undefined) return false;
  if (stored === 'gone') dropLab(labId);
  useLabStore.setState({ save: { state: 'conflict', stored } });
  return true;
}

/** Main has stored this version: edits made since then stay unsaved. */
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
 * Main has another version (another window saved it). Without unsaved edits, shows it. Otherwise the next save fails with
 * `lab_conflict`, and the user decides.
 * Rejects with `connection_lost` alone.
 * @param revision the newest, if it is known
 */
export async function followRemoteLab(api: LabClient, revision: number | undefined): Promise<void> {
  await underWay?.catch(() => undefined);
  const { lab, revision: ours } = useLabStore.getState();
  if (lab === undefined || isUnsaved() || (revision !== undefined && revision <= ours)) return;
  try {
    const open = await api.call('lab.open', { labId: lab.id });
    const now = useLabStore.getState();
    // Undo stays, and the selection, and with it the field of the inspector in which the user may be.
    if (now.lab === lab && open.revision !== now.revision) showLab(open, [], now);
  } catch (error) {
    // The next connection begins with the newest version.
    if (toWireError(error).code === 'connection_lost') throw error;
    // The shown version stays; saving it will report the error.
  }
}

/** Another window deleted the lab: it is closed, unless that would lose edits which are in no file. */
export async function followDeletion(labId: string): Promise<void> {
  if (underWay !== undefined) await underWay.catch(() => undefined);
  if (useLabStore.getState().lab?.id !== labId) return;
  if (isUnsaved()) useLabStore.setState({ save: { state: 'conflict', stored: 'gone' } });
  else closeLab();
}

export type ConflictChoice = 'reload' | 'copy' | 'close';

/**
 * Resolves a conflict: the stored version is shown, or none; with `copy`, this window's version is stored as `copyName` and shown.
 */
export async function decideConflict(
  api: LabClient,
  choice: ConflictChoice,
  copyName: string,
): Promise<void> {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  if (choice === 'close') {
    closeLab();
    return;
  }
  if (choice === 'reload') {
    try {
      showLab(await api.call('lab.open', { labId: lab.id }));
    } catch (error) {
      isConflict(lab.id, error);
      throw error;
    }
    return;
  }
  // Importing gives the copy a new id where its own is in use.
  const text = JSON.stringify({ ...lab, name: copyName });
  showLab(await api.call('lab.import', { text, name: copyName, own: true }));
}

/** Starts saving after each edit. Returns a function that stops it. */
export function autosave(api: LabClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;
  holdUnsaved();
  const keepNow = (): void => {
    const { lab, revision } = useLabStore.getState();
    if (lab !== undefined && isUnsaved()) keepUnsaved(lab, revision);
  };
  const plan = (delay: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (useLabStore.getState().save.state === 'conflict') return;
      saveNow(api).catch(() => {
        if (useLabStore.getState().save.state !== 'conflict') plan(retryDelay);
      });
    }, delay);
  };
  const stops = [
    useLabStore.subscribe((now, before) => {
      if (now.lab !== before.lab && now.lab !== now.savedLab) plan(saveDelay);
      // While 500 nodes are moved, storing is throttled: at intervals, and once at the end.
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
 * Saves at once when the page is hidden, and in a browser asks before the page closes with unsaved edits
 * (Electron would refuse to close without a message).
 */
export function saveBeforeLeaving(api: LabClient, page: Window): void {
  page.document.addEventListener('visibilitychange', () => {
    // The save indicator shows a failure, and autosave retries.
    if (page.document.visibilityState === 'hidden') saveNow(api).catch(() => undefined);
  });
  if (page.ringlab !== undefined) return;
  page.addEventListener('beforeunload', (event) => {
    if (!isUnsaved()) return;
    saveNow(api).catch(() => undefined);
    event.preventDefault();
  });
}
