/** What the window knows of main itself: the wire, the labs there are, and whether it has begun. */
import { create } from 'zustand';
import type { LabSummary, RequestResult } from '../../shared/api.ts';
import type { RinglabError } from '../../shared/errors.ts';
import type { WireStatus } from '../api/index.ts';

export interface WindowSlice {
  readonly wire: WireStatus;
  readonly info: RequestResult<'app.info'> | undefined;
  readonly labs: readonly LabSummary[];
  readonly examples: RequestResult<'lab.examples'>;
  /** `loading` until the first lab is shown, or it is known that there is none. */
  readonly phase: 'loading' | 'ready';
  /** Problems that wait to be shown; bounded. */
  readonly problems: readonly { readonly id: number; readonly error: RinglabError }[];
}

export const useWindowStore = create<WindowSlice>(() => ({
  wire: { state: 'connecting', everOpen: false },
  info: undefined,
  labs: [],
  examples: [],
  phase: 'loading',
  problems: [],
}));

const mostProblems = 20;
let nextProblem = 1;

/** Shows an error to the person as a notification. Cancelling is no error. */
export function report(error: RinglabError): void {
  if (error.code === 'cancelled') return;
  const id = nextProblem;
  nextProblem += 1;
  useWindowStore.setState((now) => ({ problems: [...now.problems.slice(1 - mostProblems), { id, error }] }));
}
export const dismissProblem = (id: number): void =>
  useWindowStore.setState((now) => ({ problems: now.problems.filter((one) => one.id !== id) }));
