/** What a user has chosen for each lab, kept on this computer and shared by the windows of a browser. */
import { create } from 'zustand';
import { keepText } from '../state/index.ts';

/** The newest labs are kept. */
const maxLabs = 100;

type Labs<T> = Readonly<Record<string, T>>;

interface KeptByLab<T> {
  /** A hook: as this window shows it. Undefined where the user has chosen nothing. */
  readonly use: (labId: string) => T | undefined;
  /** @param next of what is stored, which another window may have changed, and of what this window shows */
  readonly change: (labId: string, next: (stored: T | undefined, shown: T | undefined) => T) => void;
}

/** @param read parses what is stored; never throws */
export function keptByLab<T>(key: string, read: (text: string | null) => Labs<T>): KeptByLab<T> {
  const stored = (): Labs<T> => read(localStorage.getItem(key));
  const useLabs = create<{ readonly labs: Labs<T> }>(() => ({ labs: stored() }));
  /** False where the storage was full: then only this window has the choice. */
  let isStored = true;
  return {
    use: (labId) => useLabs(({ labs }) => labs[labId]),
    change(labId, next) {
      const { labs: shown } = useLabs.getState();
      // Read again: another window may have written since.
      const { [labId]: old, ...others } = isStored ? stored() : shown;
      const changed = [labId, next(old, shown[labId])] as const;
      const labs = Object.fromEntries([...Object.entries(others), changed].slice(-maxLabs));
      useLabs.setState({ labs });
      isStored = keepText(key, JSON.stringify(labs));
    },
  };
}
