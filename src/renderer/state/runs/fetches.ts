/** How far the files of runs are that main fetches from nodes. */
import { create } from 'zustand';
import type { EventData } from '../../../shared/contract/api.ts';

interface Fetch {
  readonly done: number;
  readonly total: number;
  /** What was there when the first event came, and when that was, in milliseconds. */
  readonly first: { readonly done: number; readonly at: number };
}

const useFetches = create<{ readonly files: Readonly<Record<string, Fetch>> }>(() => ({ files: {} }));

const keyOf = (runId: string, artifact: string): string => `${runId} ${artifact}`;

export function putFetch(
  { runId, artifact, done, total }: EventData<'artifact.progress'>,
  at = Date.now(),
): void {
  const key = keyOf(runId, artifact);
  useFetches.setState(({ files }) => {
    const before = files[key];
    // Less than before: it is fetched once more.
    const first = before === undefined || done < before.done ? { done, at } : before.first;
    return { files: { ...files, [key]: { done, total, first } } };
  });
}

export function dropFetch(runId: string, artifact: string): void {
  useFetches.setState(({ files }) => {
    const { [keyOf(runId, artifact)]: _dropped, ...others } = files;
    return { files: others };
  });
}

export const useFetch = (runId: string, artifact: string): Fetch | undefined =>
  useFetches((state) => state.files[keyOf(runId, artifact)]);

/** In seconds, at the mean speed so far; undefined while that is not known. */
export function remainingOf({ done, total, first }: Fetch, now = Date.now()): number | undefined {
  const seconds = (now - first.at) / 1000;
  const came = done - first.done;
  return seconds < 1 || came <= 0 ? undefined : ((total - done) * seconds) / came;
}
