/**
 * Unsaved edits, kept in the browser's storage, so that a crash of the window or of main loses nothing. Several pages of a browser
 * share that storage: each keeps a copy of its own, and takes over only those of pages that are gone.
 */
import * as z from 'zod';
import { LabDocument } from '../../shared/lab/lab.ts';

const prefix = 'ringlab.unsaved.';
/** Of this page: its copy, and the lock that it holds as long as it lives. A reloaded page is another one. */
const own = prefix + crypto.randomUUID();
/** Copies of labs that nobody opens again: beyond this number the oldest are removed. */
const maxCopies = 8;

/** Absent in an old browser: there every copy of another page counts as that of one that is gone. */
const pageLocks = (): LockManager | undefined => ('locks' in navigator ? navigator.locks : undefined);

/** Says to other pages that this one lives, until it is closed, reloaded or crashes. */
export function holdUnsaved(): void {
  // It ends with the page; where it is refused the copy is taken for lost, as without locks.
  pageLocks()
    ?.request(own, () => new Promise(() => undefined))
    .catch(() => undefined);
}

/** Keeps an edited lab until `forgetUnsaved`; if the storage is full, only the normal save remains. */
export function keepUnsaved(lab: LabDocument, revision: number): void {
  try {
    localStorage.setItem(own, JSON.stringify({ revision, at: Date.now(), lab }));
  } catch {
    localStorage.removeItem(own);
  }
}

export const forgetUnsaved = (): void => localStorage.removeItem(own);

/**
 * The copies of pages that are gone. To be asked for before the lab that is opened: nothing may happen between its answer and
 * the moment when it is shown, as the page would miss what another one saves.
 */
export async function lostCopies(): Promise<readonly string[]> {
  const copies = Object.keys(localStorage).filter((key) => key.startsWith(prefix) && key !== own);
  if (copies.length === 0) return copies;
  const locks = await pageLocks()
    ?.query()
    .catch(() => undefined);
  const { held = [], pending = [] } = locks ?? {};
  const living = new Set([...held, ...pending].map(({ name }) => name));
  return copies.filter((key) => !living.has(key));
}

/** The newest of these copies of exactly this version of the lab: from now on it is this page's. Others of the lab are removed. */
export function takeUnsaved(
  labId: string,
  revision: number,
  copies: readonly string[],
): LabDocument | undefined {
  const read = copies.map((key) => ({ key, ...readCopy(key) })).toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  const ofLab = read.filter(({ lab }) => lab?.id === labId);
  const taken = ofLab.find((copy) => copy.revision === revision);
  const others = read.filter(({ lab }) => lab !== undefined && lab.id !== labId);
  const kept = new Set(others.slice(0, maxCopies));
  for (const copy of read) if (!kept.has(copy)) localStorage.removeItem(copy.key);
  if (taken?.lab !== undefined) keepUnsaved(taken.lab, revision);
  return taken?.lab;
}

const Copy = z.object({ revision: z.number(), at: z.number(), lab: LabDocument });

/** Empty where the text is no copy, such as one of another version of the program. */
function readCopy(key: string): Partial<z.infer<typeof Copy>> {
  try {
    return Copy.safeParse(JSON.parse(localStorage.getItem(key) ?? '')).data ?? {};
  } catch {
    return {};
  }
}
