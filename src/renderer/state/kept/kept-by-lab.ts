/** What a user has chosen for each lab, kept on this computer and shared by the windows of a browser. */
import { createStore, useStore, type StoreApi } from 'zustand';
import { keepText } from './kept-text.ts';

/** The newest labs are kept. */
const maxLabs = 100;

type Labs<T> = Readonly<Record<string, T>>;

interface KeptByLab<T> {
  /** A hook: as this window shows it. Undefined where the user has chosen nothing. */
  readonly use: (labId: string) => T | undefined;
  /** The same, once. */
  readonly now: (labId: string) => T | undefined;
  /** @param next of what is stored, which another window may have changed, and of what this window shows */
  readonly change: (labId: string, next: (stored: T | undefined, shown: T | undefined) => T) => void;
}

/** @param read parses what is stored; never throws */
export function keptByLab<T>(key: string, read: (text: string | null) => Labs<T>): KeptByLab<T> {
  const stored = (): Labs<T> => read(localStorage.getItem(key));
  interface Shown {
    readonly labs: Labs<T>;
  }
  let created: StoreApi<Shown> | undefined;
  /** Read when it is first needed: not everything that imports this has a storage. */
  const shownLabs = (): StoreApi<Shown> => (created ??= createStore<Shown>(() => ({ labs: stored() })));
  /** False where the storage was full: then only this window has the choice. */
  let isStored = true;
  return {
    use: (labId) => useStore(shownLabs(), ({ labs }) => labs[labId]),
    now: (labId) => shownLabs().getState().labs[labId],
    change(labId, next) {
      const { labs: shown } = shownLabs().getState();
      // Read again: another window may have written since.
      const { [labId]: old, ...others } = isStored ? stored() : shown;
      const changed = [labId, next(old, shown[labId])] as const;
      const labs = Object.fromEntries([...Object.entries(others), changed].slice(-maxLabs));
      shownLabs().setState({ labs });
      isStored = keepText(key, JSON.stringify(labs));
    },
  };
}
