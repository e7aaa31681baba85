/** Unsaved edits, kept in the browser's storage, so that a crash of the window or of main loses nothing. */
import { LabDocument } from '../../shared/lab/lab.ts';

const key = 'ringlab.unsaved';

/** Keeps an edited lab until `forgetUnsaved`; if the storage is full, only the normal save remains. */
export function keepUnsaved(lab: LabDocument, revision: number): void {
  try {
    localStorage.setItem(key, JSON.stringify({ revision, lab }));
  } catch {
    localStorage.removeItem(key);
  }
}

export const forgetUnsaved = (): void => localStorage.removeItem(key);

/** The unsaved edits of exactly this version of the lab; those of other versions are removed. */
export function takeUnsaved(labId: string, revision: number): LabDocument | undefined {
  const text = localStorage.getItem(key);
  if (text === null) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== 'object' || kept === null || !('lab' in kept) || !('revision' in kept))
      return undefined;
    const parsed = LabDocument.safeParse(kept.lab);
    return parsed.success && parsed.data.id === labId && kept.revision === revision ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
