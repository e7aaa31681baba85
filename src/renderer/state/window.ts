/** The window's state of main itself: the connection, the list of labs, and whether loading has finished. */
import { create } from 'zustand';
import { byName, type LabSummary, type RequestResult, type RunLab } from '../../shared/contract/api.ts';
import { isDeclined, RinglabError } from '../../shared/base/errors.ts';
import type { DroppedField } from '../../shared/lab/foreign-lab.ts';
import type { WireStatus } from '../api/index.ts';

export interface WindowSlice {
  readonly wire: WireStatus;
  readonly info: RequestResult<'app.info'> | undefined;
  readonly labs: readonly LabSummary[];
  /** Labs that are not among them, but have runs. */
  readonly runLabs: readonly RunLab[];
  readonly examples: RequestResult<'lab.examples'>;
  /** `loading` until the first lab is shown, or until it is known that there is none. */
  readonly phase: 'loading' | 'ready';
  /** Errors that wait to be shown; bounded. */
  readonly problems: readonly { readonly id: number; readonly error: RinglabError }[];
}

export const useWindowStore = create<WindowSlice>(() => ({
  wire: { state: 'connecting', everOpen: false },
  info: undefined,
  labs: [],
  runLabs: [],
  examples: [],
  phase: 'loading',
  problems: [],
}));

/** A lab was created or saved, in this window or elsewhere. */
export const putLab = (lab: LabSummary): void =>
  useWindowStore.setState((now) => ({
    labs: [...now.labs.filter(({ id }) => id !== lab.id), lab].sort(byName),
  }));
export const dropLab = (labId: string): void =>
  useWindowStore.setState((now) => ({ labs: now.labs.filter(({ id }) => id !== labId) }));

const maxProblems = 20;
/** The maximum number of left-out parts that a notification lists. */
const maxNamed = 8;
let nextProblem = 1;

/** Shows an error to the user as a notification. A cancellation is not an error, nor is what the user has just declined. */
export function report(error: RinglabError): void {
  if (error.code === 'cancelled' || isDeclined(error)) return;
  const id = nextProblem;
  nextProblem += 1;
  useWindowStore.setState((now) => ({ problems: [...now.problems.slice(1 - maxProblems), { id, error }] }));
}

/** Notifies the user which parts of a lab or of pasted parts from elsewhere were left out. */
export function reportDropped(
  dropped: readonly DroppedField[],
  where?: string,
  code: 'lab_fields_dropped' | 'links_dropped' = 'lab_fields_dropped',
): void {
  if (dropped.length === 0) return;
  const fields = dropped.slice(0, maxNamed).join('; ');
  const more = dropped.length > maxNamed ? '; …' : '';
  report(new RinglabError(code, { count: dropped.length, fields: `${fields}${more}` }, { where }));
}

export const dismissProblem = (id: number): void =>
  useWindowStore.setState((now) => ({ problems: now.problems.filter((one) => one.id !== id) }));
